// What the value types of the algebra need once all of them are complete.
#include <utility>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/algebra/query.h"

namespace helve::sparql {

Exists::Exists(Pattern inner, bool negated) : is_negated(negated), pattern(std::move(inner)) {}
Exists::Exists(const Exists&) = default;
Exists::Exists(Exists&&) noexcept = default;
Exists& Exists::operator=(const Exists&) = default;
Exists& Exists::operator=(Exists&&) noexcept = default;
Exists::~Exists() = default;

SubSelect::SubSelect(Select inner) : select(std::move(inner)) {}
SubSelect::SubSelect(const SubSelect&) = default;
SubSelect::SubSelect(SubSelect&&) noexcept = default;
SubSelect& SubSelect::operator=(const SubSelect&) = default;
SubSelect& SubSelect::operator=(SubSelect&&) noexcept = default;
SubSelect::~SubSelect() = default;

bool operator==(const Operation& a, const Operation& b) {
  return a.function == b.function && a.arguments == b.arguments;
}
bool operator==(const Call& a, const Call& b) {
  return a.iri == b.iri && a.is_distinct == b.is_distinct && a.arguments == b.arguments;
}
bool operator==(const Aggregate& a, const Aggregate& b) {
  return a.kind == b.kind && a.is_distinct == b.is_distinct && a.argument == b.argument &&
         a.separator == b.separator;
}
bool operator==(const Exists& a, const Exists& b) {
  return a.is_negated == b.is_negated && a.pattern == b.pattern;
}
bool operator==(const Expression& a, const Expression& b) { return a.node == b.node; }

bool operator==(const Path& a, const Path& b) {
  return a.kind == b.kind && a.iri == b.iri && a.parts == b.parts;
}
bool operator==(const TriplePattern& a, const TriplePattern& b) {
  return a.subject == b.subject && a.predicate == b.predicate && a.object == b.object;
}
bool operator==(const BasicGraphPattern& a, const BasicGraphPattern& b) {
  return a.triples == b.triples;
}
bool operator==(const Join& a, const Join& b) { return a.parts == b.parts; }
bool operator==(const LeftJoin& a, const LeftJoin& b) {
  return a.left == b.left && a.right == b.right && a.conditions == b.conditions;
}
bool operator==(const Union& a, const Union& b) { return a.parts == b.parts; }
bool operator==(const Minus& a, const Minus& b) { return a.left == b.left && a.right == b.right; }
bool operator==(const Filter& a, const Filter& b) {
  return a.inner == b.inner && a.conditions == b.conditions;
}
bool operator==(const Extend& a, const Extend& b) {
  return a.inner == b.inner && a.variable == b.variable && a.expression == b.expression;
}
bool operator==(const Values& a, const Values& b) {
  return a.variables == b.variables && a.rows == b.rows;
}
bool operator==(const Graph& a, const Graph& b) { return a.name == b.name && a.inner == b.inner; }
bool operator==(const Service& a, const Service& b) {
  return a.endpoint == b.endpoint && a.is_silent == b.is_silent && a.inner == b.inner;
}
bool operator==(const SubSelect& a, const SubSelect& b) { return a.select == b.select; }
bool operator==(const Pattern& a, const Pattern& b) { return a.node == b.node; }

}  // namespace helve::sparql
