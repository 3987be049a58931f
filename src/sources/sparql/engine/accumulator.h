// Accumulator: an aggregate over the values of one group.
// https://www.w3.org/TR/sparql11-query/#aggregateAlgebra
#pragma once

#include <memory>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// Move-only. The aggregate must outlive it. COUNT(*) gets a value of any kind for each row.
// DISTINCT is the caller's matter: distinct_aggregate.h. Memory is charged to the query's budget.
class Accumulator {
 public:
  Accumulator(const Aggregate& aggregate, EvaluationContext& context);
  Accumulator(Accumulator&&) noexcept;
  Accumulator& operator=(Accumulator&&) noexcept;
  ~Accumulator();

  // An error value makes SUM, AVG, MIN, MAX and GROUP_CONCAT an error; COUNT and SAMPLE pass it
  // over.
  Result<void> add(const Value& value, EvaluationContext& context);
  Value finish(EvaluationContext& context);
  // SUM and AVG: what so many values gave before. REQUIRES: nothing was added.
  void start_from(rdf::XsdValue sum, std::int64_t rows);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace helve::sparql
