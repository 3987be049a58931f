// Planner: sub-queries and solution modifiers, in the order of the specification.
// https://www.w3.org/TR/sparql11-query/#convertSolMod
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/modified.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/step_costs.h"

namespace helve::sparql {

namespace {

std::optional<std::uint64_t> rows_wanted(const Body& body) {
  const std::uint64_t offset = body.offset.value_or(0);
  if (!body.limit || *body.limit > UINT64_MAX - offset) return std::nullopt;
  return offset + *body.limit;
}

}  // namespace

// What the modifiers look at of the pattern's variables.
PlanFrame Planner::frame_of_where(const Modified& modified, const Body& body,
                                  const VariableNames* columns, const PlanFrame& frame) const {
  PlanFrame inner = frame;
  inner.needed = nullptr;
  inner.row_goal.reset();
  inner.is_cut = false;
  const bool is_streamed =
      !modified.is_grouped && !modified.is_distinct && modified.order_by.empty() && !body.values;
  if (is_streamed && run_.passes.has(Pass::PushLimits)) inner.row_goal = rows_wanted(body);
  if (columns == nullptr || !run_.passes.has(Pass::PruneColumns)) return inner;
  auto needed = std::make_shared<VariableSet>();
  const auto add = [&](const Expression& expression) {
    needed->merge(mentioned_variables(expression));
  };
  if (modified.is_grouped) {
    for (const Modified::NamedKey& key : modified.keys) add(*key.expression);
    for (const Modified::NamedAggregate& column : modified.aggregates) {
      if (column.aggregate.argument.empty() && column.aggregate.is_distinct) return inner;
      for (const Expression& argument : column.aggregate.argument) add(argument);
    }
  } else {
    needed->insert(columns->begin(), columns->end());
    for (const SelectItem& item : modified.items) {
      if (item.expression) add(*item.expression);
    }
    for (const OrderKey& key : modified.order_by) add(key.expression);
    if (body.values) {
      for (const Variable& variable : body.values->variables) needed->insert(variable.name);
    }
  }
  needed->insert(frame.seed->schema.names().begin(), frame.seed->schema.names().end());
  inner.needed = std::move(needed);
  return inner;
}

Result<OperatorPtr> Planner::plan_where(const Body& body, bool is_grouped, const PlanFrame& frame) {
  if (is_grouped || !body.values) return plan(body.where, frame);
  const Pattern& values = storage_.patterns.emplace_back(*body.values, body.values->span);
  std::vector<const Pattern*> parts = {&values};
  if (const auto* join = body.where.if_is<Join>()) {
    for (const Pattern& part : join->parts) parts.push_back(&part);
  } else {
    parts.push_back(&body.where);
  }
  return plan_join(parts, {}, frame);
}

Result<OperatorPtr> Planner::plan_order(OperatorPtr input, const Body& body,
                                        const Modified& modified, bool may_cut,
                                        const PlanFrame& frame) {
  if (modified.order_by.empty()) return input;
  std::vector<SortColumn> columns;
  for (const OrderKey& key : modified.order_by) {
    HELVE_ASSIGN(BoundExpression bound, bind(key.expression, input->schema(), frame));
    columns.push_back({std::move(bound), key.is_descending});
  }
  std::optional<std::uint64_t> wanted;
  if (may_cut && run_.passes.has(Pass::TopK)) wanted = rows_wanted(body);
  PlanNode* const below = input->plan_node();
  double rows = below != nullptr ? below->estimated_rows : 0;
  const double cost = rows * kSortCost;
  if (wanted) rows = std::min(rows, static_cast<double>(*wanted));
  return step(make_sort(std::move(input), std::move(columns), wanted, run_),
              {wanted ? "top" : "sort", wanted ? fmt::format("{}", *wanted) : "", ""}, {rows, cost},
              {below});
}

// Everything up to the expressions of SELECT. `columns`: what the query gives; null: everything.
Result<OperatorPtr> Planner::plan_solutions(const Body& body, const std::vector<SelectItem>& items,
                                            const VariableNames* columns, const PlanFrame& frame,
                                            Modified& modified) {
  HELVE_TRY(modified.add(body, items));
  OperatorPtr made;
  if (modified.is_grouped) {
    HELVE_ASSIGN(made, plan_index_counts(body, modified, frame));
    if (made != nullptr) {
      HELVE_ASSIGN(made, with_having(std::move(made), body, modified, frame));
    }
  }
  if (made == nullptr) {
    const PlanFrame inner = frame_of_where(modified, body, columns, frame);
    HELVE_ASSIGN(made, plan_where(body, modified.is_grouped, inner));
    if (modified.is_grouped) {
      HELVE_ASSIGN(made, plan_groups(std::move(made), body, modified, frame));
    }
  }
  return with_items(std::move(made), modified, frame);
}

Result<OperatorPtr> Planner::with_items(OperatorPtr made, const Modified& modified,
                                        const PlanFrame& frame) {
  std::vector<ComputedColumn> computed;
  Schema schema = made->schema();
  for (const SelectItem& item : modified.items) {
    if (!item.expression) continue;
    HELVE_TRY(run_.op.check());
    HELVE_ASSIGN(BoundExpression bound, bind(*item.expression, schema, frame));
    computed.push_back({item.variable.name, std::move(bound)});
    schema.add(item.variable.name);
  }
  if (computed.empty()) return made;
  PlanNode* const below = made->plan_node();
  const double rows = below != nullptr ? below->estimated_rows : 0;
  return step(make_extend(std::move(made), std::move(computed), run_), {"extend", "SELECT", ""},
              {rows, rows * kGroupCost}, {below});
}

Result<OperatorPtr> Planner::plan_select_in(const Select& select, const PlanFrame& frame) {
  Modified modified;
  modified.is_grouped = is_grouped(select);
  const VariableNames columns = result_variables(select);
  bool is_distinct = select.duplicates == Duplicates::Distinct;
  modified.is_distinct = is_distinct;
  HELVE_ASSIGN(OperatorPtr made, plan_index_values(select, frame));
  if (made != nullptr) {
    HELVE_TRY(modified.add(select.body, select.items));
    is_distinct = false;
  } else {
    HELVE_ASSIGN(made, plan_solutions(select.body, select.items, &columns, frame, modified));
  }
  HELVE_ASSIGN(made, plan_order(std::move(made), select.body, modified, !is_distinct, frame));
  PlanNode* const below = made->plan_node();
  const bool is_sorted = run_.passes.has(Pass::SortedGroups) && columns.size() == 1 &&
                         made->sorted_by() == columns.front();
  made = make_projection(std::move(made), columns);
  made->set_plan_node(below);
  HELVE_TRY(charge(*made));
  if (is_distinct) {
    const double rows = below != nullptr ? below->estimated_rows : 0;
    HELVE_ASSIGN(made, step(make_distinct(std::move(made), run_, is_sorted),
                            {is_sorted ? "sorted distinct" : "distinct", "", ""},
                            {rows, rows * kGroupCost}, {below}));
  }
  return sliced(std::move(made), select.body);
}

Result<OperatorPtr> Planner::sliced(OperatorPtr input, const Body& body) {
  if (!body.limit && !body.offset) return input;
  PlanNode* const below = input->plan_node();
  double rows = below != nullptr ? below->estimated_rows : 0;
  rows = std::max(0.0, rows - static_cast<double>(body.offset.value_or(0)));
  if (body.limit) rows = std::min(rows, static_cast<double>(*body.limit));
  std::string detail;
  if (body.offset) detail += fmt::format("OFFSET {}", *body.offset);
  if (body.limit) detail += fmt::format("{}LIMIT {}", detail.empty() ? "" : " ", *body.limit);
  return step(make_slice(std::move(input), body.offset.value_or(0), body.limit),
              {"slice", std::move(detail), ""}, {rows, 0}, {below});
}

Result<OperatorPtr> Planner::plan_select(const Select& select) {
  return plan_select_in(select, outer_frame());
}

Result<OperatorPtr> Planner::plan_body(const Body& body) {
  const PlanFrame frame = outer_frame();
  Modified modified;
  modified.is_grouped = is_grouped(body);
  HELVE_ASSIGN(OperatorPtr made, plan_solutions(body, {}, nullptr, frame, modified));
  HELVE_ASSIGN(made, plan_order(std::move(made), body, modified, true, frame));
  return sliced(std::move(made), body);
}

}  // namespace helve::sparql
