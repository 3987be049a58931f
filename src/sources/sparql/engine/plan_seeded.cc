// Planner: patterns that run on rows of others: OPTIONAL, EXISTS and MINUS.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/step_costs.h"

namespace helve::sparql {

namespace {

// EXISTS or NOT EXISTS as a whole condition; no pattern: something else.
struct ExistsCondition {
  const Pattern* pattern = nullptr;
  bool is_negated = false;
};

ExistsCondition exists_in(const Expression& condition) {
  if (const auto* exists = condition.if_is<Exists>())
    return {&*exists->pattern, exists->is_negated};
  const auto* operation = condition.if_is<Operation>();
  if (operation == nullptr || operation->function != Function::Not) return {};
  ExistsCondition inner = exists_in(operation->arguments.front());
  inner.is_negated = !inner.is_negated;
  return inner;
}

// A sub-pattern that subtracts looks at the variables of its two sides alone: rows of a seed cannot
// be told apart there.
bool has_minus(const Pattern& pattern) {
  bool found = false;
  for_each_pattern(pattern,
                   [&](const Pattern& node) { found = found || node.if_is<Minus>() != nullptr; });
  return found;
}

std::string_view join_kind_name(BatchJoinKind kind) {
  switch (kind) {
    case BatchJoinKind::Inner:
      return "batch join";
    case BatchJoinKind::Optional:
      return "left join";
    case BatchJoinKind::Semi:
      return "semi join";
    case BatchJoinKind::Anti:
      return "anti join";
  }
  return "";
}

// Rows for each row of the left.
double joined_part(BatchJoinKind kind, double fanout) {
  switch (kind) {
    case BatchJoinKind::Inner:
      return fanout;
    case BatchJoinKind::Optional:
      return std::max(1.0, fanout);
    case BatchJoinKind::Semi:
      return std::min(1.0, fanout);
    case BatchJoinKind::Anti:
      return std::max(0.1, 1 - fanout);
  }
  return 1;
}

}  // namespace

bool is_exists(const Expression& condition) { return exists_in(condition).pattern != nullptr; }

// Patterns that may give many rows for each row are better asked row by row, up to the first.
bool Planner::is_semi_join(const Expression& condition, const Schema& schema,
                           const PlanFrame& frame) const {
  const ExistsCondition exists = exists_in(condition);
  if (exists.pattern == nullptr || !run_.passes.has(Pass::SemiJoins)) return false;
  if (has_minus(*exists.pattern)) return false;
  const VariableSet bound(schema.names().begin(), schema.names().end());
  constexpr double kManyRows = 16;
  return Estimator(run_, *frame.scope).rows(*exists.pattern, bound) <= kManyRows;
}

Result<OperatorPtr> Planner::with_exists(OperatorPtr input, const Expression& condition,
                                         const PlanFrame& frame) {
  const ExistsCondition exists = exists_in(condition);
  SeededRight right{exists.pattern,
                    exists.is_negated ? BatchJoinKind::Anti : BatchJoinKind::Semi,
                    {},
                    mentioned_variables(condition),
                    frame.certain};
  return join_seeded(std::move(input), right, frame);
}

Result<OperatorPtr> Planner::join_seeded(OperatorPtr left, const SeededRight& right,
                                         const PlanFrame& frame) {
  const std::string row_column = fmt::format("_:row {}", storage_.row_columns++);
  auto seed = Seed::of(left->schema(), &right.wanted);
  if (seed->schema.find(left->sorted_by())) seed->sorted_by = left->sorted_by();
  seed->schema.add(row_column);
  PlanFrame inner;
  inner.seed = seed.get();
  inner.scope = frame.scope;
  for (const std::string& name : seed->schema.names()) {
    inner.likely.insert(name);
    if (right.certain.contains(name)) inner.certain.insert(name);
  }
  inner.is_volatile = true;
  const bool is_exists = right.kind == BatchJoinKind::Semi || right.kind == BatchJoinKind::Anti;
  inner.is_existence = is_exists;
  if (is_exists && run_.passes.has(Pass::PruneColumns)) {
    inner.needed = std::make_shared<VariableSet>(VariableSet{row_column});
  } else if (frame.needed != nullptr) {
    inner.needed = frame.needed;
    inner = inner.needing({row_column}).needing(right.conditions);
    // A column that may be unbound on the left gets its value on the right.
    VariableSet unsure;
    for (const std::string& name : seed->schema.names()) {
      if (!inner.certain.contains(name)) unsure.insert(name);
    }
    inner = inner.needing(unsure);
  }
  HELVE_ASSIGN(OperatorPtr made, plan(*right.pattern, inner));
  HELVE_ASSIGN(made, with_filter(std::move(made), right.conditions,
                                 inner.knowing(certain_variables(*right.pattern))));
  const std::vector<PlanNode*> inputs = {left->plan_node(), made->plan_node()};
  if (inputs[1] != nullptr) set_per_row(*inputs[1]);
  const BatchJoinOptions options{right.kind, row_column, frame.kept()};
  StepEstimate estimate;
  if (inputs[0] != nullptr) {
    const double fanout = inputs[1] != nullptr ? inputs[1]->estimated_rows : 1;
    estimate.rows = inputs[0]->estimated_rows * joined_part(right.kind, fanout);
    estimate.cost = inputs[0]->estimated_rows * kSeedCost;
  }
  return step(make_batch_join(std::move(left), std::move(seed), std::move(made), options, run_),
              {std::string(join_kind_name(right.kind)), "", ""}, estimate, inputs);
}

Result<OperatorPtr> Planner::join_row_by_row(OperatorPtr left, const SeededRight& right,
                                             const PlanFrame& frame) {
  auto seed = Seed::of(left->schema(), nullptr);
  PlanFrame inner;
  inner.seed = seed.get();
  inner.scope = frame.scope;
  inner.certain = right.certain;
  inner.likely.insert(left->schema().names().begin(), left->schema().names().end());
  inner.is_volatile = true;
  HELVE_ASSIGN(OperatorPtr made, plan(*right.pattern, inner));
  HELVE_ASSIGN(auto bound, bind_all(right.conditions, made->schema(), frame));
  const bool is_optional = right.kind == BatchJoinKind::Optional;
  const std::vector<PlanNode*> inputs = {left->plan_node(), made->plan_node()};
  if (inputs[1] != nullptr) set_per_row(*inputs[1]);
  const double rows = inputs[0] != nullptr ? inputs[0]->estimated_rows : 0;
  return step(make_seeded_join(is_optional ? JoinKind::Left : JoinKind::Inner, std::move(left),
                               std::move(seed), std::move(made), std::move(bound), run_),
              {is_optional ? "row by row left join" : "row by row join", "", ""},
              {rows, rows * kSeedCost}, inputs);
}

Result<OperatorPtr> Planner::plan_left_join(const LeftJoin& join, const PlanFrame& frame) {
  const Conditions conditions = split_conditions(join.conditions);
  VariableSet of_right;
  for (const std::string& name : variables_in_scope(*join.right)) of_right.insert(name);
  PlanFrame around = frame.needing(conditions).needing(of_right);
  // Every row of the left gives one at least.
  HELVE_ASSIGN(OperatorPtr left, plan(*join.left, around));
  HELVE_ASSIGN(left, cut_to_goal(std::move(left), frame));
  around.row_goal.reset();
  SeededRight right{&*join.right, BatchJoinKind::Optional, conditions, of_right,
                    certain_variables(*join.left)};
  right.certain.insert(frame.certain.begin(), frame.certain.end());
  for (const Expression* condition : conditions) {
    right.wanted.merge(mentioned_variables(*condition));
  }
  const auto& names = left->schema().names();
  const VariableSet seed(names.begin(), names.end());
  VariableSet likely = right.certain;
  likely.insert(frame.likely.begin(), frame.likely.end());
  const bool is_seeded = run_.passes.has(Pass::Sideways) && is_bindable(*join.right, seed) &&
                         is_connected(*join.right, likely);
  if (is_seeded && run_.passes.has(Pass::BatchJoins)) {
    // Columns of the seed that stands around this join stay.
    return join_seeded(std::move(left), right, around);
  }
  if (is_seeded) return join_row_by_row(std::move(left), right, frame);
  HELVE_ASSIGN(OperatorPtr made, plan(*join.right, around));
  HELVE_ASSIGN(auto bound,
               bind_all(conditions, joined_schema(left->schema(), made->schema()), frame));
  const std::vector<PlanNode*> inputs = {left->plan_node(), made->plan_node()};
  const StepEstimate estimate = hash_estimate(inputs);
  return step(make_hash_join(JoinKind::Left, std::move(left), std::move(made), std::move(bound),
                             frame.is_volatile, run_),
              {"hash left join", "", ""}, estimate, inputs);
}

// Only variables that both sides have themselves can be shared; a seed is no part of them.
Result<OperatorPtr> Planner::plan_minus(const Minus& node, const PlanFrame& frame) {
  VariableSet of_right;
  for (const std::string& name : variables_in_scope(*node.right)) of_right.insert(name);
  const PlanFrame around = frame.needing(of_right);
  HELVE_ASSIGN(OperatorPtr left, plan(*node.left, around));
  HELVE_ASSIGN(OperatorPtr looked_up, plan_anti_join(left, node, around));
  if (looked_up != nullptr) return looked_up;
  HELVE_ASSIGN(OperatorPtr right, plan(*node.right, around));
  const Schema of_left(variables_in_scope(*node.left));
  std::vector<std::string> shared;
  for (const std::string& name : of_right) {
    if (of_left.find(name)) shared.push_back(name);
  }
  const std::vector<PlanNode*> inputs = {left->plan_node(), right->plan_node()};
  const StepEstimate estimate = hash_estimate(inputs);
  right = make_projection(std::move(right), std::move(shared));
  return step(make_hash_join(JoinKind::Minus, std::move(left), std::move(right), {},
                             frame.is_volatile, run_),
              {"hash anti join", "MINUS", ""}, estimate, inputs);
}

// Where every shared variable is bound on both sides, MINUS drops the rows that have a match.
Result<OperatorPtr> Planner::plan_anti_join(OperatorPtr& left, const Minus& node,
                                            const PlanFrame& frame) {
  const bool may = run_.passes.has(Pass::SemiJoins) && run_.passes.has(Pass::Sideways) &&
                   run_.passes.has(Pass::BatchJoins);
  if (!may) return OperatorPtr();
  const VariableNames of_left = variables_in_scope(*node.left);
  const VariableSet in_left(of_left.begin(), of_left.end());
  const VariableSet certain_left = certain_variables(*node.left);
  const VariableSet certain_right = certain_variables(*node.right);
  VariableSet shared;
  for (const std::string& name : variables_in_scope(*node.right)) {
    if (!in_left.contains(name)) continue;
    if (!certain_left.contains(name) || !certain_right.contains(name)) return OperatorPtr();
    shared.insert(name);
  }
  if (shared.empty() || !is_bindable(*node.right, shared)) return OperatorPtr();
  // Values from outside, as EXISTS has them, hold on the right too, where the left does not have
  // them.
  for (const std::string& name : frame.seed->schema.names()) {
    if (!shared.contains(name)) return OperatorPtr();
  }
  SeededRight right{&*node.right, BatchJoinKind::Anti, {}, shared, shared};
  return join_seeded(std::move(left), right, frame);
}

}  // namespace helve::sparql
