#include "sources/rdf/turtle_spelling.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "sources/rdf/characters.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

// ASCII that a plain local name may hold, with the "%" of a PLX; all of other bytes pass here.
constexpr std::array<bool, 256> kMayBeLocal = [] {
  std::array<bool, 256> may{};
  for (std::size_t byte = 0; byte < may.size(); ++byte) {
    may[byte] = byte >= 0x80 || is_pn_chars(static_cast<char32_t>(byte)) || byte == '.' ||
                byte == ':' || byte == '%';
  }
  return may;
}();

// PERCENT at the start of `text`.
bool starts_with_percent(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

// The digits before and behind the point, the point itself, and what follows.
struct Mantissa {
  std::size_t whole;
  bool has_point;
  std::size_t fraction;
  std::string_view rest;
};

Mantissa split_number(std::string_view text) {
  const std::size_t begin = skip_sign(text, 0);
  std::size_t at = skip_digits(text, begin);
  Mantissa parts{at - begin, false, 0, {}};
  if (at < text.size() && text[at] == '.') {
    parts.has_point = true;
    const std::size_t end = skip_digits(text, at + 1);
    parts.fraction = end - at - 1;
    at = end;
  }
  parts.rest = text.substr(at);
  return parts;
}

// EXPONENT
bool is_exponent(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return false;
  const std::size_t digits = skip_sign(text, 1);
  const std::size_t end = skip_digits(text, digits);
  return end > digits && end == text.size();
}

// INTEGER, DECIMAL and DOUBLE
bool is_integer(std::string_view text) {
  const Mantissa parts = split_number(text);
  return parts.whole > 0 && !parts.has_point && parts.rest.empty();
}
bool is_decimal(std::string_view text) {
  const Mantissa parts = split_number(text);
  return parts.has_point && parts.fraction > 0 && parts.rest.empty();
}
bool is_double(std::string_view text) {
  const Mantissa parts = split_number(text);
  return parts.whole + parts.fraction > 0 && is_exponent(parts.rest);
}

// In the long form, line feeds and lone quotation marks stand as they are; carriage returns do not,
// because tools that change line ends would change the data.
void append_long_string(std::string& out, std::string_view text) {
  out += "\"\"\"";
  std::size_t quotes = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    quotes = c == '"' ? quotes + 1 : 0;
    const bool is_harmless_quote = c == '"' && quotes < 3 && at + 1 < text.size();
    if (c == '\n' || is_harmless_quote) {
      out += c;
    } else {
      append_escaped(out, text.substr(at, 1));
    }
  }
  out += "\"\"\"";
}

}  // namespace

bool is_pn_prefix(std::string_view name) {
  if (name.empty()) return true;
  if (name.back() == '.') return false;
  const char* at = name.data();
  const char* const end = at + name.size();
  if (!is_pn_chars_base(decode_utf8(at, end))) return false;
  while (at < end) {
    const char32_t c = decode_utf8(at, end);
    if (!is_pn_chars(c) && c != '.') return false;
  }
  return true;
}

bool is_plain_local_name(std::string_view name) {
  if (name.empty()) return true;
  if (name.back() == '.') return false;
  const char* at = name.data();
  const char* const end = at + name.size();
  bool is_first = true;
  while (at < end) {
    if (starts_with_percent({at, end})) {
      at += 3;
    } else {
      const char32_t c = decode_utf8(at, end);
      const bool fits = c == ':' || is_pn_chars_u(c) || is_digit(c) ||
                        (!is_first && (is_pn_chars(c) || c == '.'));
      if (!fits) return false;
    }
    is_first = false;
  }
  return true;
}

std::size_t local_name_begin(std::string_view iri) {
  std::size_t at = iri.size();
  while (at > 0 && kMayBeLocal[static_cast<unsigned char>(iri[at - 1])]) --at;
  return at;
}

bool is_bare_literal(const TermView& literal) {
  if (!literal.language.empty() || !literal.datatype.starts_with(kXsd)) return false;
  if (literal.datatype == kXsdInteger) return is_integer(literal.value);
  if (literal.datatype == kXsdDecimal) return is_decimal(literal.value);
  if (literal.datatype == kXsdDouble) return is_double(literal.value);
  return literal.datatype == kXsdBoolean && (literal.value == "true" || literal.value == "false");
}

void append_turtle_iri(std::string& out, std::string_view iri, const PrefixMap& prefixes) {
  if (const auto name = prefixes.shorten(iri)) {
    out += name->prefix->name;
    out += ':';
    out += name->local;
  } else {
    append_ntriples(out, TermView::iri(iri));
  }
}

void append_turtle(std::string& out, const TermView& term, const PrefixMap& prefixes) {
  if (term.is_iri()) return append_turtle_iri(out, term.value, prefixes);
  if (term.is_blank()) return append_ntriples(out, term);
  if (is_bare_literal(term)) {
    out += term.value;
    return;
  }
  if (term.value.find('\n') != std::string_view::npos) {
    append_long_string(out, term.value);
  } else {
    out += '"';
    append_escaped(out, term.value);
    out += '"';
  }
  if (!term.language.empty()) {
    out += '@';
    out += term.language;
  } else if (!term.datatype.empty()) {
    out += "^^";
    append_turtle_iri(out, term.datatype, prefixes);
  }
}

}  // namespace helve::rdf
