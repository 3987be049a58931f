// Joins of solutions with solutions. HashJoin and its kin keep the right side in memory;
// SeededJoin runs the right side anew for each row of the left, which suits index look-ups.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// Rows that a plan gets from outside for one evaluation: the row around an EXISTS or an OPTIONAL,
// or a batch of them. Plans read it through make_seed().
struct Seed {
  Schema schema;
  std::vector<std::size_t> from;  // by column: that of the batches it is set from
  std::string sorted_by;          // the rows of every batch ascend by it; empty: unknown
  Batch rows;

  // The columns of `outer` that are in `wanted` (null: all).
  static std::unique_ptr<Seed> of(const Schema& outer, const std::set<std::string>* wanted);
  // One row of a batch.
  void set(const Batch& batch, std::size_t row);
  // All rows of a batch; a column behind those of `from` numbers them.
  void set_numbered(const Batch& batch);
};

enum class JoinKind : std::uint8_t { Inner, Left, Minus };

// Rows of the left with compatible rows of the right, which is run once, and again after restart()
// if `is_right_seeded`. Conditions (Left only) see the schema of the result. Minus gives the rows
// of the left without a compatible row on the right that shares a variable.
// https://www.w3.org/TR/sparql11-query/#defn_algJoin
OperatorPtr make_hash_join(JoinKind kind, OperatorPtr left, OperatorPtr right,
                           std::vector<BoundExpression> conditions, bool is_right_seeded,
                           RunState& run);
// The schema of such a join, for binding its conditions.
Schema joined_schema(const Schema& left, const Schema& right);

// REQUIRES: `right` was planned on `seed`, whose schema is that of the left: its rows are whole
// rows. Kind Inner or Left; conditions see the right's schema.
OperatorPtr make_seeded_join(JoinKind kind, OperatorPtr left, std::unique_ptr<Seed> seed,
                             OperatorPtr right, std::vector<BoundExpression> conditions,
                             RunState& run);

// True when every condition is; a hard failure of an expression is the error.
Result<bool> all_true(const std::vector<BoundExpression>& conditions, const Batch& batch,
                      std::size_t row, RunState& run);

}  // namespace helve::sparql
