// Terms in N-Triples syntax.
#include "sources/rdf/term.h"

#include <fmt/format.h>

namespace helve::rdf {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
          fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
}

}  // namespace

void append_ntriples(std::string& out, const TermView& term) {
  switch (term.kind) {
    case TermKind::Iri:
      out += '<';
      out += term.value;
      out += '>';
      return;
    case TermKind::BlankNode:
      out += "_:";
      out += term.value;
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
    out += "^^<";
    out += term.datatype;
    out += '>';
  }
}

std::string to_ntriples(const TermView& term) {
  std::string out;
  append_ntriples(out, term);
  return out;
}

}  // namespace helve::rdf
