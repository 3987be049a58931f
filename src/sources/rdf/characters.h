// Character classes of the Turtle family, by the grammar's names.
// https://www.w3.org/TR/turtle/#sec-grammar-grammar
#pragma once

#include "base/ascii.h"

namespace helve::rdf {

// Neither a surrogate nor beyond Unicode.
constexpr bool is_scalar_value(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// PN_CHARS_BASE
constexpr bool is_pn_chars_base(char32_t c) {
  if (c < 0x80) return is_letter(c);
  return (c >= 0xC0 && c <= 0x2FF && c != 0xD7 && c != 0xF7) ||
         (c >= 0x370 && c <= 0x1FFF && c != 0x37E) || (c >= 0x200C && c <= 0x200D) ||
         (c >= 0x2070 && c <= 0x218F) || (c >= 0x2C00 && c <= 0x2FEF) ||
         (c >= 0x3001 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
         (c >= 0xFDF0 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0xEFFFF);
}

// PN_CHARS_U
constexpr bool is_pn_chars_u(char32_t c) { return c == '_' || is_pn_chars_base(c); }

// PN_CHARS
constexpr bool is_pn_chars(char32_t c) {
  return is_pn_chars_u(c) || c == '-' || is_digit(c) || c == 0xB7 || (c >= 0x300 && c <= 0x36F) ||
         (c >= 0x203F && c <= 0x2040);
}

}  // namespace helve::rdf
