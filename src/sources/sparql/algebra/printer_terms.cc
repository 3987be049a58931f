// Terms, paths and triples as SPARQL text. https://www.w3.org/TR/sparql11-query/#QSynTerms
#include "sources/rdf/turtle_spelling.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/printer_text.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kLineWidth = 100;

}  // namespace

SparqlText::SparqlText(const PrefixList& prefixes, Layout layout)
    : prefixes_(prefixes.size()), layout_(layout) {
  // Of two declarations of a name the last one holds, but the map keeps the first.
  for (std::size_t left = prefixes.size(); left > 0; --left) {
    prefixes_.add(prefixes[left - 1].first, prefixes[left - 1].second);
  }
}

void SparqlText::newline() {
  if (layout_ == Layout::OneLine) {
    out_ += ' ';
    return;
  }
  out_ += '\n';
  line_begin_ = out_.size();
  out_.append(2 * indent_, ' ');
}

void SparqlText::space_or_break() {
  if (layout_ == Layout::OneLine || out_.size() - line_begin_ < kLineWidth) {
    out_ += ' ';
    return;
  }
  ++indent_;
  newline();
  --indent_;
}

void SparqlText::iri(std::string_view iri) { rdf::append_turtle_iri(out_, iri, prefixes_); }

void SparqlText::term(const rdf::TermView& term) {
  if (term.is_iri()) return iri(term.value);
  if (term.is_blank()) return rdf::append_ntriples(out_, term);
  if (rdf::is_bare_literal(term)) {
    out_ += term.value;
    return;
  }
  out_ += '"';
  rdf::append_escaped(out_, term.value);
  out_ += '"';
  if (!term.language.empty()) {
    out_ += '@';
    out_ += term.language;
    if (term.direction == rdf::Direction::Ltr) out_ += "--ltr";
    if (term.direction == rdf::Direction::Rtl) out_ += "--rtl";
  } else if (!term.datatype.empty()) {
    out_ += "^^";
    iri(term.datatype);
  }
}

std::string printed_name(std::string_view variable) {
  if (!variable.starts_with('.')) return std::string(variable);
  return "helve_" + std::string(variable.substr(1));
}

void SparqlText::append(const Variable& variable) { out_ += "?" + printed_name(variable.name); }

void SparqlText::append(const BlankNode& blank) {
  // Every label that can be written stays as it is; others are made into some that can.
  if (!rdf::is_blank_node_label(blank.label)) return term(rdf::TermView::blank(blank.label));
  out_ += "_:";
  out_ += blank.label;
}

SparqlText::PathBinding SparqlText::binding_of(const Path& path) {
  switch (path.kind) {
    case Path::Kind::Alternative:
      return PathBinding::Alternative;
    case Path::Kind::Sequence:
      return PathBinding::Sequence;
    case Path::Kind::Inverse:
      return PathBinding::Inverse;
    case Path::Kind::ZeroOrMore:
    case Path::Kind::OneOrMore:
    case Path::Kind::ZeroOrOne:
      return PathBinding::Modified;
    case Path::Kind::Iri:
    case Path::Kind::NegatedSet:
      break;
  }
  return PathBinding::Primary;
}

void SparqlText::append(const Path& whole) { path(whole, PathBinding::Alternative); }

void SparqlText::path(const Path& path, PathBinding binding) {
  const bool needs_parentheses = binding_of(path) < binding;
  if (needs_parentheses) out_ += '(';
  switch (path.kind) {
    case Path::Kind::Iri:
      path_iri(path.iri);
      break;
    case Path::Kind::Inverse:
      out_ += '^';
      path_parts(path, '\0', PathBinding::Modified);
      break;
    case Path::Kind::Sequence:
      path_parts(path, '/', PathBinding::Inverse);
      break;
    case Path::Kind::Alternative:
      path_parts(path, '|', PathBinding::Sequence);
      break;
    case Path::Kind::ZeroOrMore:
      path_parts(path, '\0', PathBinding::Primary);
      out_ += '*';
      break;
    case Path::Kind::OneOrMore:
      path_parts(path, '\0', PathBinding::Primary);
      out_ += '+';
      break;
    case Path::Kind::ZeroOrOne:
      path_parts(path, '\0', PathBinding::Primary);
      out_ += '?';
      break;
    case Path::Kind::NegatedSet:
      negated_set(path);
      break;
  }
  if (needs_parentheses) out_ += ')';
}

void SparqlText::path_parts(const Path& whole, char separator, PathBinding binding) {
  bool is_first = true;
  for (const Path& part : whole.parts) {
    if (!is_first) out_ += separator;
    is_first = false;
    path(part, binding);
  }
}

void SparqlText::negated_set(const Path& whole) {
  out_ += '!';
  const bool is_single = whole.parts.size() == 1;
  if (!is_single) out_ += '(';
  path_parts(whole, '|', PathBinding::Sequence);
  if (!is_single) out_ += ')';
}

void SparqlText::path_iri(std::string_view value) {
  if (value == rdf::kRdfType) {
    out_ += 'a';
  } else {
    iri(value);
  }
}

void SparqlText::predicate(const PredicatePattern& predicate) {
  const auto* constant = std::get_if<Constant>(&predicate);
  if (constant != nullptr && constant->term.kind == rdf::TermKind::Iri) {
    path_iri(constant->term.value);
  } else {
    append(predicate);
  }
}

void SparqlText::triple(const TriplePattern& triple) {
  append(triple.subject);
  out_ += ' ';
  predicate(triple.predicate);
  out_ += ' ';
  append(triple.object);
}

void SparqlText::next_triple(const TriplePattern& next) {
  const TriplePattern* last = std::exchange(last_triple_, &next);
  if (last != nullptr && last->subject == next.subject) {
    if (last->predicate == next.predicate) {
      out_ += ',';
      space_or_break();
    } else {
      out_ += " ;";
      ++indent_;
      newline();
      --indent_;
      predicate(next.predicate);
      out_ += ' ';
    }
    append(next.object);
    return;
  }
  if (last != nullptr) out_ += " .";
  newline();
  triple(next);
}

void SparqlText::end_triples() {
  if (last_triple_ != nullptr) out_ += " .";
  last_triple_ = nullptr;
}

}  // namespace helve::sparql
