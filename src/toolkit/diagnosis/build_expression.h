// Short ways to write expressions and triples for probes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

inline sparql::Expression call(sparql::Function function,
                               std::vector<sparql::Expression> arguments) {
  return {sparql::Operation{function, std::move(arguments)}};
}
inline sparql::Expression constant(rdf::Term term) {
  return {sparql::Constant{std::move(term), {}}};
}
inline sparql::Expression text(std::string_view value) {
  return constant(rdf::Term(rdf::TermView::literal(value)));
}
inline sparql::Variable variable(std::string name) { return {std::move(name), {}}; }
inline sparql::Constant iri(std::string_view value) {
  return {rdf::Term(rdf::TermView::iri(value)), {}};
}
// xsd:double(STR(e)) and the like.
inline sparql::Expression cast(std::string_view datatype, sparql::Expression argument) {
  return {sparql::Call{std::string(datatype), false, {std::move(argument)}}};
}
inline sparql::Expression str(sparql::Expression argument) {
  return call(sparql::Function::Str, {std::move(argument)});
}
inline sparql::Expression lower_case(sparql::Expression argument) {
  return call(sparql::Function::LCase, {std::move(argument)});
}
// Without any white space.
inline sparql::Expression squeezed(sparql::Expression argument) {
  return call(sparql::Function::Replace, {std::move(argument), text("[\\s\\p{Z}]+"), text("")});
}
inline sparql::Pattern filtered(sparql::Pattern inner, sparql::Expression condition) {
  return sparql::Pattern(sparql::Filter{std::move(inner), {std::move(condition)}});
}

}  // namespace helve::toolkit
