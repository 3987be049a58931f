#include "sources/sql/sqlite/sqlite_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace helve::sql {

namespace {

constexpr std::size_t kDepthMax = 100;  // deeper ones are shown as if they were this deep

struct Placed {
  const PlanStep* step;
  std::size_t depth;
};

JsonValue::Array tree_of(const std::vector<Placed>& steps, std::size_t& at, std::size_t depth) {
  JsonValue::Array nodes;
  while (at < steps.size() && steps[at].depth >= depth) {
    JsonValue::Object node;
    node.push_back({"detail", JsonValue(steps[at].step->detail)});
    ++at;
    JsonValue::Array inner = tree_of(steps, at, depth + 1);
    if (!inner.empty()) node.push_back({"steps", JsonValue(std::move(inner))});
    nodes.emplace_back(std::move(node));
  }
  return nodes;
}

}  // namespace

TablePlan plan_of(const std::vector<PlanStep>& steps) {
  std::map<std::int64_t, std::size_t> depths;
  std::vector<Placed> placed;
  TablePlan plan;
  for (const PlanStep& step : steps) {
    const auto parent = depths.find(step.parent);
    std::size_t depth = parent != depths.end() ? std::min(parent->second + 1, kDepthMax) : 0;
    // SQLite writes a tree from top to bottom; anything else is put under the step before it.
    if (!placed.empty()) depth = std::min(depth, placed.back().depth + 1);
    if (placed.empty()) depth = 0;
    depths[step.id] = depth;
    placed.push_back({&step, depth});
    plan.text.append(2 * depth, ' ').append(step.detail).append("\n");
  }
  if (!plan.text.empty()) plan.text.pop_back();
  std::size_t at = 0;
  plan.tree = JsonValue(tree_of(placed, at, 0));
  return plan;
}

}  // namespace helve::sql
