// Terms in canonical N-Triples syntax, https://www.w3.org/TR/n-triples/#canonical-ntriples, but
// that control characters other than the tab are escaped: raw ones do harm in terminals and logs.
#include "sources/rdf/term.h"

#include <array>

#include "base/iri.h"
#include "base/utf8.h"
#include "sources/rdf/characters.h"

namespace helve::rdf {

namespace {

// Control characters but the tab, DEL, the quotation mark and the backslash.
constexpr std::array<bool, 256> kNeedsEscape = [] {
  std::array<bool, 256> needs{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) needs[byte] = byte != '\t';
  needs[0x7F] = needs['"'] = needs['\\'] = true;
  return needs;
}();

void append_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

// "\u00XX"; the characters that need it are all ASCII.
void append_uchar(std::string& out, char c) {
  out += "\\u00";
  append_hex(out, static_cast<unsigned char>(c));
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kCharacters = "\b\n\f\r\"\\";
  constexpr std::string_view kLetters = "bnfr\"\\";
  if (const std::size_t at = kCharacters.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
  } else {
    append_uchar(out, c);
  }
}

void append_iri(std::string& out, std::string_view iri) {
  out += '<';
  while (const auto bad = find_bad_iri_character(iri)) {
    out += iri.substr(0, *bad);
    append_uchar(out, iri[*bad]);
    iri.remove_prefix(*bad + 1);
  }
  out += iri;
  out += '>';
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!kNeedsEscape[static_cast<unsigned char>(text[at])]) [[likely]]
      continue;
    out.append(text, begin, at - begin);
    append_escape(out, text[at]);
    begin = at + 1;
  }
  out.append(text, begin);
}

bool is_blank_node_label(std::string_view label) {
  if (label.empty() || label.back() == '.') return false;
  const char* at = label.data();
  const char* const end = at + label.size();
  const char32_t first = decode_utf8(at, end);
  if (!is_pn_chars_u(first) && !is_digit(first)) return false;
  while (at < end) {
    const char32_t c = decode_utf8(at, end);
    if (!is_pn_chars(c) && c != '.') return false;
  }
  return true;
}

void append_blank_label(std::string& out, std::string_view label) {
  constexpr std::string_view kEncoded = "x-hex-";
  if (is_blank_node_label(label) && !label.starts_with(kEncoded)) [[likely]] {
    out += label;
    return;
  }
  out += kEncoded;
  for (const char c : label) append_hex(out, static_cast<unsigned char>(c));
}

void append_ntriples(std::string& out, const TermView& term) {
  switch (term.kind) {
    case TermKind::Iri:
      append_iri(out, term.value);
      return;
    case TermKind::BlankNode:
      out += "_:";
      append_blank_label(out, term.value);
      return;
    case TermKind::Literal:
      break;
  }
  out += '"';
  append_escaped(out, term.value);
  out += '"';
  if (!term.language.empty()) {
    out += '@';
    out += term.language;
  } else if (!term.datatype.empty()) {
    out += "^^";
    append_iri(out, term.datatype);
  }
}

std::string to_ntriples(const TermView& term) {
  std::string out;
  append_ntriples(out, term);
  return out;
}

}  // namespace helve::rdf
