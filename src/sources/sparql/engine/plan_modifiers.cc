// Planner: sub-queries and solution modifiers, in the order of the specification.
// https://www.w3.org/TR/sparql11-query/#convertSolMod
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"

namespace helve::sparql {

// The expressions of a grouped query with columns of the group in place of aggregates and keys.
struct Planner::Modified {
  struct NamedAggregate {
    std::string name;
    Aggregate aggregate;
  };
  struct NamedKey {
    std::string name;
    const Expression* expression;
  };

  bool is_grouped = false;
  std::vector<NamedKey> keys;
  std::vector<NamedAggregate> aggregates;
  std::vector<SelectItem> items;
  std::vector<Expression> having;
  std::vector<OrderKey> order_by;

  std::string name_of(const Aggregate& aggregate) {
    for (const NamedAggregate& known : aggregates) {
      if (known.aggregate == aggregate) return known.name;
    }
    aggregates.push_back({"_:aggregate " + std::to_string(aggregates.size()), aggregate});
    return aggregates.back().name;
  }

  Expression rewrite(const Expression& expression) {
    if (!is_grouped) return expression;
    for (const NamedKey& key : keys) {
      if (*key.expression == expression) return {Variable{key.name, {}}, expression.span};
    }
    if (const auto* aggregate = expression.if_is<Aggregate>()) {
      return {Variable{name_of(*aggregate), {}}, expression.span};
    }
    Expression rewritten = expression;
    if (auto* operation = std::get_if<Operation>(&rewritten.node)) {
      for (Expression& argument : operation->arguments) argument = rewrite(argument);
    } else if (auto* call = std::get_if<Call>(&rewritten.node)) {
      for (Expression& argument : call->arguments) argument = rewrite(argument);
    }
    return rewritten;
  }

  bool has_column(const std::string& name) const {
    const auto is_named = [&](const auto& column) { return column.name == name; };
    return std::any_of(keys.begin(), keys.end(), is_named) ||
           std::any_of(aggregates.begin(), aggregates.end(), is_named) ||
           std::any_of(items.begin(), items.end(),
                       [&](const SelectItem& item) { return item.variable.name == name; });
  }

  // ORDER BY may name what is not grouped: any one of its values is taken.
  // https://www.w3.org/TR/sparql11-query/#sparqlGroupAggregate
  Expression sample_others(Expression expression) {
    if (const auto* variable = expression.if_is<Variable>()) {
      if (has_column(variable->name)) return expression;
      Aggregate sample;
      sample.kind = AggregateKind::Sample;
      sample.argument.push_back(expression);
      return {Variable{name_of(sample), {}}, expression.span};
    }
    if (auto* operation = std::get_if<Operation>(&expression.node)) {
      for (Expression& argument : operation->arguments) argument = sample_others(argument);
    } else if (auto* call = std::get_if<Call>(&expression.node)) {
      for (Expression& argument : call->arguments) argument = sample_others(argument);
    }
    return expression;
  }

  Result<void> add_key(std::string name, const Expression& expression) {
    for (const NamedKey& key : keys) {
      if (key.name != name) continue;
      if (*key.expression == expression) return {};
      return Error(ErrorCode::InvalidInput,
                   fmt::format("GROUP BY gives the name ?{} to two expressions", name),
                   "name them differently");
    }
    keys.push_back({std::move(name), &expression});
    return {};
  }

  Result<void> add(const Body& body, const std::vector<SelectItem>& select_items) {
    for (const GroupKey& key : body.group_by) {
      const auto* variable = key.expression.if_is<Variable>();
      std::string name = "_:key " + std::to_string(keys.size());
      if (key.name) {
        name = key.name->name;
      } else if (variable != nullptr) {
        name = variable->name;
      }
      HELVE_TRY(add_key(std::move(name), key.expression));
    }
    for (const SelectItem& item : select_items) {
      items.push_back(item);
      if (item.expression) items.back().expression = rewrite(*item.expression);
    }
    for (const Expression& condition : body.having) having.push_back(rewrite(condition));
    for (const OrderKey& key : body.order_by) {
      Expression expression = rewrite(key.expression);
      if (is_grouped) expression = sample_others(std::move(expression));
      order_by.push_back({std::move(expression), key.is_descending});
    }
    return {};
  }
};

namespace {

// DISTINCT * is about what can be named.
std::vector<std::string> visible_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const std::string& name : schema.names()) {
    if (!name.starts_with("_:")) names.push_back(name);
  }
  return names;
}

std::optional<std::uint64_t> rows_wanted(const Body& body) {
  const std::uint64_t offset = body.offset.value_or(0);
  if (!body.limit || *body.limit > UINT64_MAX - offset) return std::nullopt;
  return offset + *body.limit;
}

OperatorPtr sliced(OperatorPtr input, const Body& body) {
  if (!body.limit && !body.offset) return input;
  return make_slice(std::move(input), body.offset.value_or(0), body.limit);
}

}  // namespace

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

Result<OperatorPtr> Planner::plan_groups(OperatorPtr input, const Body& body, Modified& modified,
                                         const PlanFrame& frame) {
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    if (column.aggregate.argument.empty() && column.aggregate.is_distinct) {
      std::vector<std::string> names = visible_names(input->schema());
      input = make_projection(std::move(input), std::move(names));
      break;
    }
  }
  std::vector<GroupColumn> keys;
  for (const Modified::NamedKey& key : modified.keys) {
    HELVE_ASSIGN(BoundExpression bound, bind(*key.expression, input->schema(), frame));
    keys.push_back({key.name, std::move(bound)});
  }
  std::vector<AggregateColumn> aggregates;
  for (const Modified::NamedAggregate& column : modified.aggregates) {
    std::optional<BoundExpression> argument;
    if (!column.aggregate.argument.empty()) {
      HELVE_ASSIGN(argument, bind(column.aggregate.argument.front(), input->schema(), frame));
    }
    aggregates.push_back({column.name, column.aggregate, std::move(argument)});
  }
  OperatorPtr made = make_group(std::move(input), std::move(keys), std::move(aggregates), run_);
  std::vector<const Expression*> having;
  for (const Expression& condition : modified.having) having.push_back(&condition);
  HELVE_ASSIGN(made, with_filter(std::move(made), having, frame));
  if (!body.values) return made;
  HELVE_ASSIGN(OperatorPtr values, plan_values(*body.values, frame));
  return make_hash_join(JoinKind::Inner, std::move(made), std::move(values), {}, false, run_);
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
  return make_sort(std::move(input), std::move(columns), may_cut ? rows_wanted(body) : std::nullopt,
                   run_);
}

// Everything up to the expressions of SELECT.
Result<OperatorPtr> Planner::plan_solutions(const Body& body, const std::vector<SelectItem>& items,
                                            const PlanFrame& frame, Modified& modified) {
  HELVE_TRY(modified.add(body, items));
  HELVE_ASSIGN(OperatorPtr made, plan_where(body, modified.is_grouped, frame));
  if (modified.is_grouped) {
    HELVE_ASSIGN(made, plan_groups(std::move(made), body, modified, frame));
  }
  std::vector<ComputedColumn> computed;
  Schema schema = made->schema();
  for (const SelectItem& item : modified.items) {
    if (!item.expression) continue;
    HELVE_TRY(run_.op.check());
    HELVE_ASSIGN(BoundExpression bound, bind(*item.expression, schema, frame));
    computed.push_back({item.variable.name, std::move(bound)});
    schema.add(item.variable.name);
  }
  if (!computed.empty()) made = make_extend(std::move(made), std::move(computed), run_);
  return charged(std::move(made));
}

Result<OperatorPtr> Planner::plan_select_in(const Select& select, const PlanFrame& frame) {
  Modified modified;
  modified.is_grouped = is_grouped(select);
  HELVE_ASSIGN(OperatorPtr made, plan_solutions(select.body, select.items, frame, modified));
  const bool is_distinct = select.duplicates == Duplicates::Distinct;
  HELVE_ASSIGN(made, plan_order(std::move(made), select.body, modified, !is_distinct, frame));
  made = make_projection(std::move(made), result_variables(select));
  if (is_distinct) made = make_distinct(std::move(made), run_);
  return charged(sliced(std::move(made), select.body));
}

Result<OperatorPtr> Planner::plan_select(const Select& select) {
  return plan_select_in(select, outer_frame());
}

Result<OperatorPtr> Planner::plan_body(const Body& body) {
  const PlanFrame frame = outer_frame();
  Modified modified;
  modified.is_grouped = is_grouped(body);
  HELVE_ASSIGN(OperatorPtr made, plan_solutions(body, {}, frame, modified));
  HELVE_ASSIGN(made, plan_order(std::move(made), body, modified, true, frame));
  return charged(sliced(std::move(made), body));
}

}  // namespace helve::sparql
