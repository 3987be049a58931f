// TripleJoin: extends every row by the triples that match a pattern, by looking them up in the
// dataset's indexes.
#pragma once

#include <optional>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// One position of a pattern, resolved: a term of the data, or a column.
struct Slot {
  std::optional<std::size_t> column;
  Id constant;

  Id value(const Batch& batch, std::size_t row, std::size_t input_columns) const {
    if (!column) return constant;
    return *column < input_columns ? batch.at(*column, row) : Id();
  }
};

// The name of the column of a variable or blank node; nullopt for a constant.
std::optional<std::string> column_name(const TermPattern& term);
std::optional<std::string> column_name(const PredicatePattern& predicate);

// Resolves against a schema, to which new variables are added.
Result<Slot> make_slot(const TermPattern& term, Schema& schema, RunState& run);
Result<Slot> make_slot(const PredicatePattern& predicate, Schema& schema, RunState& run);

// REQUIRES: the predicate is no path.
Result<OperatorPtr> make_triple_join(OperatorPtr input, const TriplePattern& triple,
                                     const GraphScope& scope, RunState& run);

}  // namespace helve::sparql
