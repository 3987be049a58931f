// SortKey: a value prepared for comparing many times: ORDER BY, MIN, MAX.
// https://www.w3.org/TR/sparql11-query/#modOrderBy
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// A total order over all values that extends SPARQL's <: unbound, blank nodes, IRIs, literals.
// Where SPARQL leaves it open: numbers, strings, booleans, dates and other literals in turn; what
// has no order of its own by its text; equal values of different types are equal.
class SortKey {
 public:
  static SortKey of(const Value& value, EvaluationContext& context);
  std::weak_ordering compare(const SortKey& other) const;
  std::size_t memory_bytes() const;

 private:
  void set(const rdf::XsdValue& value);
  void set(const rdf::TermView& term);

  std::uint8_t rank_ = 0;
  std::variant<std::monostate, double, std::string, rdf::XsdValue> data_;
  std::string qualifier_;  // datatype or language, to tell apart what is otherwise equal
};

}  // namespace helve::sparql
