// Planner: GROUP BY, for all rows at once, or on each core for the rows that it has and then for
// what came of them.
#include <algorithm>
#include <deque>
#include <utility>

#include "sources/sparql/engine/modified.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/parallel.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/step_costs.h"

namespace helve::sparql {

namespace {

constexpr double kRowsPerGroup = 10;

// DISTINCT * is about what can be named.
std::vector<std::string> visible_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const std::string& name : schema.names()) {
    if (!name.starts_with("_:")) names.push_back(name);
  }
  return names;
}

bool is_column(const Expression& expression, const Schema& schema) {
  const auto* variable = expression.if_is<Variable>();
  return variable != nullptr && schema.find(variable->name).has_value();
}

// Grouping parts first gives the same.
bool can_be_regrouped(const Aggregate& aggregate, const Schema& schema) {
  const bool is_known =
      aggregate.kind == AggregateKind::Count || aggregate.kind == AggregateKind::Min ||
      aggregate.kind == AggregateKind::Max || aggregate.kind == AggregateKind::Sample;
  return is_known && !aggregate.is_distinct &&
         (aggregate.argument.empty() || is_column(aggregate.argument.front(), schema));
}

}  // namespace

// Rows of a group stand together.
bool Planner::is_sorted_by_key(const Operator& input, const Modified& modified) const {
  if (!run_.passes.has(Pass::SortedGroups) || modified.keys.size() != 1) return false;
  const auto* variable = modified.keys.front().expression->if_is<Variable>();
  return variable != nullptr && !input.sorted_by().empty() && variable->name == input.sorted_by();
}

Result<OperatorPtr> Planner::grouped(OperatorPtr input, const Modified& modified, GroupMode mode,
                                     RunState& run, const Binder& bound) {
  const Schema& schema = input->schema();
  std::vector<GroupColumn> keys;
  for (const Modified::NamedKey& key : modified.keys) {
    HELVE_ASSIGN(BoundExpression expression, bound(*key.expression, schema));
    keys.push_back({key.name, std::move(expression)});
  }
  std::vector<AggregateColumn> aggregates;
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    std::optional<BoundExpression> argument;
    if (!column.aggregate.argument.empty()) {
      HELVE_ASSIGN(argument, bound(column.aggregate.argument.front(), schema));
    }
    aggregates.push_back({column.name, column.aggregate, std::move(argument)});
  }
  return make_group(std::move(input), std::move(keys), std::move(aggregates), run, mode);
}

// Null: the rows come from one core, or must all be seen by one.
Result<OperatorPtr> Planner::grouped_on_cores(Operator& input, const Modified& modified) {
  const Schema& schema = input.schema();
  const bool has_columns =
      std::all_of(modified.keys.begin(), modified.keys.end(),
                  [&](const auto& key) { return is_column(*key.expression, schema); }) &&
      std::all_of(modified.aggregates.begin(), modified.aggregates.end(),
                  [&](const auto& column) { return can_be_regrouped(column.aggregate, schema); });
  if (!has_columns) return OperatorPtr();
  std::vector<PipelineCopy> copies = release_copies(input);
  if (copies.empty()) return OperatorPtr();
  for (PipelineCopy& copy : copies) {
    const Binder bound = [&](const Expression& expression, const Schema& columns) {
      return BoundExpression::bind(expression, columns, copy.run->expressions, nullptr);
    };
    HELVE_ASSIGN(copy.root,
                 grouped(std::move(copy.root), modified, GroupMode::Preliminary, *copy.run, bound));
    HELVE_TRY(charge(*copy.root));
  }
  // What it stood on itself: it is made anew.
  PlanNode* const below =
      input.plan_node() != nullptr ? input.plan_node()->inputs.front() : nullptr;
  const StepEstimate expected{below != nullptr ? below->estimated_rows : 0, 0};
  std::string detail = cores_text(copies.size()) + ", grouping";
  return step(make_parallel(std::move(copies), run_), {"parallel", std::move(detail), ""}, expected,
              {below});
}

// The columns of preliminary groups in place of what they were made of.
Planner::Modified Planner::regrouped(const Modified& modified, std::deque<Expression>& columns) {
  Modified again;
  for (const Modified::NamedKey& key : modified.keys) {
    again.keys.push_back({key.name, &columns.emplace_back(Variable{key.name, {}}, SourceSpan{})});
  }
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    Aggregate aggregate = column.aggregate;
    if (aggregate.kind == AggregateKind::Count) aggregate.kind = AggregateKind::Sum;
    aggregate.argument.clear();
    aggregate.argument.emplace_back(Variable{column.name, {}}, SourceSpan{});
    again.aggregates.push_back({column.name, std::move(aggregate)});
  }
  return again;
}

Result<OperatorPtr> Planner::plan_groups(OperatorPtr input, const Body& body, Modified& modified,
                                         const PlanFrame& frame) {
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    if (column.aggregate.argument.empty() && column.aggregate.is_distinct) {
      std::vector<std::string> names = visible_names(input->schema());
      PlanNode* const below = input->plan_node();
      input = make_projection(std::move(input), std::move(names));
      input->set_plan_node(below);
      break;
    }
  }
  const bool is_sorted = is_sorted_by_key(*input, modified);
  PlanNode* below = input->plan_node();
  const double rows = below != nullptr ? below->estimated_rows : 0;
  const double groups =
      modified.keys.empty() ? 1 : std::min(rows, std::max(1.0, rows / kRowsPerGroup));
  std::string detail;
  for (const auto& key : modified.keys) detail += (detail.empty() ? "?" : " ?") + key.name;
  const Binder bound = [&](const Expression& expression, const Schema& schema) {
    return bind(expression, schema, frame);
  };
  const GroupMode mode = is_sorted ? GroupMode::Sorted : GroupMode::Hashed;
  HELVE_ASSIGN(OperatorPtr preliminary, grouped_on_cores(*input, modified));
  OperatorPtr made;
  if (preliminary != nullptr) {
    below = preliminary->plan_node();
    std::deque<Expression> columns;
    HELVE_ASSIGN(made,
                 grouped(std::move(preliminary), regrouped(modified, columns), mode, run_, bound));
  } else {
    HELVE_ASSIGN(made, grouped(std::move(input), modified, mode, run_, bound));
  }
  HELVE_ASSIGN(made,
               step(std::move(made), {is_sorted ? "sorted group" : "group", std::move(detail), ""},
                    {groups, rows * kGroupCost}, {below}));
  return with_having(std::move(made), body, modified, frame);
}

Result<OperatorPtr> Planner::with_having(OperatorPtr made, const Body& body,
                                         const Modified& modified, const PlanFrame& frame) {
  Conditions having;
  for (const Expression& condition : modified.having) having.push_back(&condition);
  PlanFrame around = frame;
  around.needed = nullptr;
  HELVE_ASSIGN(made, with_filter(std::move(made), having, around));
  if (!body.values) return made;
  HELVE_ASSIGN(OperatorPtr values, plan_values(*body.values, around));
  const std::vector<PlanNode*> inputs = {made->plan_node(), values->plan_node()};
  const double rows = inputs[0] != nullptr ? inputs[0]->estimated_rows : 0;
  return step(make_hash_join(JoinKind::Inner, std::move(made), std::move(values), {}, false, run_),
              {"hash join", "VALUES", ""}, {rows, rows * kGroupCost}, inputs);
}

}  // namespace helve::sparql
