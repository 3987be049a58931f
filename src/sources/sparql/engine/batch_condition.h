// BatchCondition: a condition for many rows of a batch at once, on ids where those tell enough.
// What ids do not tell is asked of expression_node.h, row by row or once for each id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sources/sparql/engine/batch.h"
#include "sources/sparql/engine/condition_step.h"
#include "sources/sparql/engine/evaluation_context.h"

namespace helve::sparql {

// Not thread-safe. The node and the context must outlive it.
class BatchCondition {
 public:
  // REQUIRES: is_repeatable(node).
  BatchCondition(const BoundExpression::Node& node, EvaluationContext& context);

  // Moves the rows for which it is true to the front and returns how many they are. The rows must
  // be ascending. A row that meets a hard error, which is context.failure() then, ends them.
  std::size_t keep_true(const Batch& batch, std::span<std::uint32_t> rows);

 private:
  using Rows = std::span<const std::uint32_t>;

  // The truth for each of the rows. Returns for how many, from the first, it is known: fewer than
  // all when the next one met a hard error.
  std::size_t run(ConditionStep& step, Rows rows, std::vector<Truth>& truths);
  std::size_t run_logical(ConditionStep& step, Rows rows, std::vector<Truth>& truths);
  std::size_t run_constant(ConditionStep& step, Rows rows, std::vector<Truth>& truths);
  std::size_t run_by_qualifier(ConditionStep& step, Rows rows, std::vector<Truth>& truths);
  // Computes what is still unknown.
  std::size_t settle(ConditionStep& step, Rows rows, std::vector<Truth>& truths);
  Truth look_up(ConditionStep& step, std::uint32_t row);
  Truth compute(const ConditionStep& step, std::uint32_t row);
  Truth test_text(const ConditionStep& step, Id id);
  void make_memo(ConditionStep& step);
  // Sets a failure aside: rows before the one that met it are still to be evaluated.
  bool has_failed();

  EvaluationContext& context_;
  ConditionStep root_;
  std::size_t memos_ = 0;
  std::vector<Truth> truths_;
  // While keep_true() runs.
  const Batch* batch_ = nullptr;
  std::optional<Error> failure_;
  std::string scratch_;
};

}  // namespace helve::sparql
