// Planner::Modified: the solution modifiers of a query, rewritten for planning. Behind plan_*.cc.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sources/sparql/engine/planner.h"

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
  bool is_distinct = false;
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

}  // namespace helve::sparql
