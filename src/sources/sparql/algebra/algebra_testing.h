// For tests: short ways to build algebra by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/query.h"

namespace helve::sparql::test {

inline Variable var(std::string name) { return {std::move(name), {}}; }
inline Constant iri(std::string_view value) { return {rdf::Term(rdf::TermView::iri(value)), {}}; }
inline rdf::Term literal(std::string_view text, std::string_view datatype = {}) {
  return rdf::Term(rdf::TermView::literal(text, datatype));
}

inline Expression variable(std::string name) { return Expression(var(std::move(name))); }
inline Expression constant(rdf::Term term) { return Expression(Constant{std::move(term), {}}); }
inline Expression number(std::string_view digits) {
  return constant(literal(digits, rdf::kXsdInteger));
}
inline Expression call(Function function, std::vector<Expression> arguments) {
  return Expression(Operation{function, std::move(arguments)});
}
inline Expression count_all() { return Expression(Aggregate{}); }
inline Expression exists(Pattern pattern, bool is_negated = false) {
  return Expression(Exists(std::move(pattern), is_negated));
}

// ?name, or _:name when it starts with an underscore.
inline TermPattern node(std::string name) {
  if (name.starts_with('_')) return BlankNode{name.substr(1), {}};
  return var(std::move(name));
}
inline TriplePattern triple(std::string s, std::string p, std::string o, SourceSpan span = {}) {
  return {node(std::move(s)), var(std::move(p)), node(std::move(o)), span};
}
inline Pattern triples(std::vector<TriplePattern> list) {
  return Pattern(BasicGraphPattern{std::move(list)});
}
inline Pattern one(std::string s, std::string p, std::string o) {
  return triples({triple(std::move(s), std::move(p), std::move(o))});
}

inline Path path(Path::Kind kind, std::vector<Path> parts) {
  return {kind, {}, std::move(parts), {}};
}
inline Path step(std::string value) { return {Path::Kind::Iri, std::move(value), {}, {}}; }

inline Select select(const std::vector<std::string>& names, Pattern where) {
  Select out;
  out.items.reserve(names.size());
  for (const std::string& name : names) out.items.push_back({var(name), std::nullopt});
  out.body.where = std::move(where);
  return out;
}
inline Select select_star(Pattern where) {
  Select out = select({}, std::move(where));
  out.is_star = true;
  return out;
}
inline Pattern sub(Select inner) { return Pattern(SubSelect(std::move(inner))); }

}  // namespace helve::sparql::test
