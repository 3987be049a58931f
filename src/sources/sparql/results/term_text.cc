#include "sources/sparql/results/term_text.h"

#include "sources/rdf/turtle_spelling.h"

namespace helve::sparql {

namespace {

// Canonical N-Triples leaves tabs as they are.
void append_without_tabs(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t tab = text.find('\t');
    rdf::append_escaped(out, text.substr(0, tab));
    if (tab == std::string_view::npos) return;
    out += "\\t";
    text.remove_prefix(tab + 1);
  }
}

}  // namespace

void append_term_text(std::string& out, const rdf::TermView& term, const rdf::PrefixMap& prefixes) {
  if (!term.is_literal()) return rdf::append_turtle(out, term, prefixes);
  if (rdf::is_bare_literal(term)) {
    out += term.value;
    return;
  }
  out += '"';
  append_without_tabs(out, term.value);
  out += '"';
  if (!term.language.empty()) {
    out += '@';
    out += term.language;
  } else if (!term.datatype.empty()) {
    out += "^^";
    rdf::append_turtle_iri(out, term.datatype, prefixes);
  }
}

}  // namespace helve::sparql
