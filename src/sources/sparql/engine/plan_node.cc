#include "sources/sparql/engine/plan_node.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

class Measured final : public Operator {
 public:
  Measured(OperatorPtr made, Schema schema, PlanNode& node, RunState& run)
      : Operator(std::move(schema)), made_(std::move(made)), node_(node), run_(run) {
    set_plan_node(&node);
  }

  Result<bool> next(Batch& batch) override {
    if (is_restarted_) ++node_.starts;
    is_restarted_ = false;
    const MonotonicTime begin = real_clock().now();
    const std::ptrdiff_t used = bytes_used();
    const std::ptrdiff_t inner = std::exchange(run_.measured_bytes, 0);
    const std::uint64_t spilled = run_.spilled_bytes;
    const std::uint64_t inner_spill = std::exchange(run_.measured_spill, 0);
    Result<bool> result = made_->next(batch);
    // What the steps below charged meanwhile is theirs.
    const std::ptrdiff_t grown = bytes_used() - used;
    node_.bytes += grown - run_.measured_bytes;
    node_.peak_bytes = std::max(node_.peak_bytes, node_.bytes);
    run_.measured_bytes = inner + grown;
    const std::uint64_t written = run_.spilled_bytes - spilled;
    node_.spilled_bytes += written - run_.measured_spill;
    run_.measured_spill = inner_spill + written;
    node_.time += real_clock().now() - begin;
    node_.rows += batch.rows;
    if (result && !*result && !std::exchange(is_at_end_, true)) ++node_.ends;
    return result;
  }

  void restart() override {
    is_restarted_ = true;
    is_at_end_ = false;
    made_->restart();
  }

 private:
  std::ptrdiff_t bytes_used() const {
    return static_cast<std::ptrdiff_t>(run_.memory().bytes_used());
  }

  OperatorPtr made_;
  PlanNode& node_;
  RunState& run_;
  bool is_restarted_ = true;
  bool is_at_end_ = false;
};

// Rows flow from the seed through the first inputs.
const PlanNode* seed_below(const PlanNode& node) {
  const PlanNode* at = &node;
  while (!at->inputs.empty()) at = at->inputs.front();
  return is_seed(*at) ? at : nullptr;
}

// What runs for rows of a step inside is marked already. Recursion: operators themselves nest as
// deep.
void mark_per_row(PlanNode& node, const PlanNode* seed) {
  if (node.is_per_row) return;
  node.is_per_row = true;
  node.seed = seed;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    mark_per_row(*node.inputs[i], i == 0 ? seed : seed_below(*node.inputs[i]));
  }
}

}  // namespace

bool is_seed(const PlanNode& node) { return node.name == "seed"; }

void set_per_row(PlanNode& root) { mark_per_row(root, seed_below(root)); }

OperatorPtr make_measured(OperatorPtr made, PlanNode& node, RunState& run) {
  Schema schema = made->schema();
  return std::make_unique<Measured>(std::move(made), std::move(schema), node, run);
}

}  // namespace helve::sparql
