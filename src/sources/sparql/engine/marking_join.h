// Joins that run their right side for whole batches of the left: of patterns that can be bound,
// OPTIONAL, and EXISTS or MINUS as semi and anti joins. The right side is planned on a seed that
// holds the batch and a column that numbers its rows.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

enum class BatchJoinKind : std::uint8_t {
  Inner,     // every row of the right with its row of the left
  Optional,  // and the rows of the left that have none
  Semi,      // the rows of the left that have one
  Anti,      // those that have none
};

struct BatchJoinOptions {
  BatchJoinKind kind = BatchJoinKind::Inner;
  std::string row_column;                       // of the seed, the last; `right` has it too
  const std::set<std::string>* kept = nullptr;  // columns of the result; null: all
};

// REQUIRES: `right` was planned on `seed`. A column that both sides have is the right's.
OperatorPtr make_batch_join(OperatorPtr left, std::unique_ptr<Seed> seed, OperatorPtr right,
                            const BatchJoinOptions& options, RunState& run);

}  // namespace helve::sparql
