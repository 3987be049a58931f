// What the specification says of a good SELECT beyond the grammar: names and grouping.
// https://www.w3.org/TR/sparql11-query/#aggregateRestrictions
#include <fmt/core.h>

#include <algorithm>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

// The first variable outside of aggregates and EXISTS that is not among the names.
const Variable* first_ungrouped(const Expression& expression, const Scope& names);

const Variable* first_ungrouped(const std::vector<Expression>& expressions, const Scope& names) {
  for (const Expression& expression : expressions) {
    if (const Variable* found = first_ungrouped(expression, names)) return found;
  }
  return nullptr;
}

const Variable* first_ungrouped(const Expression& expression, const Scope& names) {
  if (const auto* variable = expression.if_is<Variable>()) {
    return names.count(variable->name) > 0 ? nullptr : variable;
  }
  if (const auto* operation = expression.if_is<Operation>()) {
    return first_ungrouped(operation->arguments, names);
  }
  if (const auto* call = expression.if_is<Call>()) return first_ungrouped(call->arguments, names);
  return nullptr;
}

Scope group_names(const Body& body) {
  Scope names;
  for (const GroupKey& key : body.group_by) {
    if (const auto* variable = key.expression.if_is<Variable>()) names.insert(variable->name);
    if (key.name) names.insert(key.name->name);
  }
  return names;
}

}  // namespace

// `scope`: what the pattern and the final VALUES bind.
void Parser::check_select(const Select& select, const Scope& scope) {
  if (is_grouped(select)) return check_grouped(select);
  for (const SelectItem& item : select.items) {
    if (!item.expression || scope.count(item.variable.name) == 0) continue;
    return fail_at(item.variable.span.begin,
                   fmt::format("SELECT gives a value to ?{}, which the pattern has already bound",
                               item.variable.name),
                   "use a new name after AS");
  }
}

void Parser::check_grouped(const Select& select) {
  if (select.is_star) {
    return fail_at(select.span.begin, "SELECT * cannot stand with GROUP BY or HAVING",
                   "select the variables of GROUP BY and aggregates: SELECT ?x (COUNT(*) AS ?n)");
  }
  const Scope grouped = group_names(select.body);
  Scope names = grouped;
  for (const SelectItem& item : select.items) {
    const std::string& name = item.variable.name;
    if (item.expression && grouped.count(name) > 0) {
      return fail_at(item.variable.span.begin,
                     fmt::format("SELECT gives a value to ?{}, which GROUP BY already names", name),
                     "use a new name after AS");
    }
    const Variable* ungrouped = item.expression         ? first_ungrouped(*item.expression, names)
                                : names.count(name) > 0 ? nullptr
                                                        : &item.variable;
    if (ungrouped != nullptr)
      return fail_ungrouped(*ungrouped, "SELECT", !select.body.group_by.empty());
    names.insert(name);
  }
  check_group_modifiers(select.body, select.items, grouped, names);
}

void Parser::fail_ungrouped(const Variable& variable, std::string_view clause, bool has_group_by) {
  const std::string& name = variable.name;
  const std::string sample = clause == "SELECT" ? fmt::format("(SAMPLE(?{0}) AS ?one_{0})", name)
                                                : fmt::format("SAMPLE(?{})", name);
  fail_at(variable.span.begin,
          fmt::format("?{} in {} is neither a key of GROUP BY nor inside of an aggregate", name,
                      clause),
          fmt::format("add {}, or use an aggregate such as {}",
                      has_group_by ? fmt::format("?{} to GROUP BY", name)
                                   : fmt::format("GROUP BY ?{}", name),
                      sample));
}

// HAVING sees the groups before SELECT names anything, ORDER BY sees the names as well.
void Parser::check_group_modifiers(const Body& body, const std::vector<SelectItem>& items,
                                   const Scope& grouped, const Scope& names) {
  if (const Variable* ungrouped = first_ungrouped(body.having, grouped)) {
    const auto item = std::find_if(items.begin(), items.end(), [&](const SelectItem& named) {
      return named.expression && named.variable.name == ungrouped->name;
    });
    if (item == items.end()) return fail_ungrouped(*ungrouped, "HAVING", !body.group_by.empty());
    return fail_at(
        ungrouped->span.begin,
        fmt::format("?{} has no value in HAVING: SELECT names it only later", ungrouped->name),
        fmt::format("write {} instead of ?{}", excerpt(item->expression->span), ungrouped->name));
  }
  // https://www.w3.org/TR/sparql11-query/#sparqlGroupAggregate: such a variable is sampled.
  for (const OrderKey& key : body.order_by) {
    if (const Variable* ungrouped = first_ungrouped(key.expression, names)) {
      note(ungrouped->span,
           fmt::format(
               "?{} in ORDER BY is neither a key of GROUP BY nor inside of an aggregate: any "
               "one of its values in the group is taken",
               ungrouped->name));
    }
  }
}

// Of the forms other than SELECT.
void Parser::check_body(const Body& body) {
  if (!is_grouped(body)) return;
  const Scope grouped = group_names(body);
  check_group_modifiers(body, {}, grouped, grouped);
}

}  // namespace helve::sparql
