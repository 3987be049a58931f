// Walks over patterns and expressions. Recursion is as deep as the tree, which the parser bounds
// (Limits::query_depth_max).
#include "sources/sparql/algebra/analysis.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace helve::sparql {

namespace {

// Calls back for every node below where it starts, parents first, in the order of the text as far
// as the tree knows it: the FILTERs of a group come last.
template <typename OnPattern, typename OnExpression>
class Walker {
 public:
  Walker(OnPattern on_pattern, OnExpression on_expression)
      : on_pattern_(std::move(on_pattern)), on_expression_(std::move(on_expression)) {}

  void walk(const Pattern& pattern) {
    on_pattern_(pattern);
    std::visit(*this, pattern.node);
  }
  void walk(const Expression& expression) {
    on_expression_(expression);
    std::visit(*this, expression.node);
  }
  void walk(const Body& body) {
    walk(body.where);
    for (const GroupKey& key : body.group_by) walk(key.expression);
    walk_all(body.having);
    for (const OrderKey& key : body.order_by) walk(key.expression);
  }
  void walk(const Select& select) {
    for (const SelectItem& item : select.items) {
      if (item.expression) walk(*item.expression);
    }
    walk(select.body);
  }

  void operator()(const BasicGraphPattern& /*leaf*/) {}
  void operator()(const Join& join) { walk_all(join.parts); }
  void operator()(const LeftJoin& optional) {
    walk(*optional.left);
    walk(*optional.right);
    walk_all(optional.conditions);
  }
  void operator()(const Union& alternatives) { walk_all(alternatives.parts); }
  void operator()(const Minus& minus) {
    walk(*minus.left);
    walk(*minus.right);
  }
  void operator()(const Filter& filter) {
    walk(*filter.inner);
    walk_all(filter.conditions);
  }
  void operator()(const Extend& extend) {
    walk(*extend.inner);
    walk(*extend.expression);
  }
  void operator()(const Values& /*leaf*/) {}
  void operator()(const Graph& graph) { walk(*graph.inner); }
  void operator()(const Service& service) { walk(*service.inner); }
  void operator()(const SubSelect& sub) { walk(*sub.select); }

  void operator()(const Variable& /*leaf*/) {}
  void operator()(const Constant& /*leaf*/) {}
  void operator()(const Operation& operation) { walk_all(operation.arguments); }
  void operator()(const Call& call) { walk_all(call.arguments); }
  void operator()(const Aggregate& aggregate) { walk_all(aggregate.argument); }
  void operator()(const Exists& exists) { walk(*exists.pattern); }

 private:
  template <typename Node>
  void walk_all(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) walk(node);
  }

  OnPattern on_pattern_;
  OnExpression on_expression_;
};

template <typename OneOf>
const Variable* variable_of(const OneOf& node) {
  return std::get_if<Variable>(&node);
}

template <typename Use>
void for_each_variable(const BasicGraphPattern& pattern, const Use& use) {
  for (const TriplePattern& triple : pattern.triples) {
    if (const Variable* subject = variable_of(triple.subject)) use(*subject);
    if (const Variable* predicate = variable_of(triple.predicate)) use(*predicate);
    if (const Variable* object = variable_of(triple.object)) use(*object);
  }
}

// Names in order of first appearance.
class ScopeCollector {
 public:
  void operator()(const BasicGraphPattern& pattern) {
    for_each_variable(pattern, [this](const Variable& variable) { add(variable.name); });
  }
  void operator()(const Join& join) {
    for (const Pattern& part : join.parts) collect(part);
  }
  void operator()(const LeftJoin& optional) {
    collect(*optional.left);
    collect(*optional.right);
  }
  void operator()(const Union& alternatives) {
    for (const Pattern& part : alternatives.parts) collect(part);
  }
  void operator()(const Minus& minus) { collect(*minus.left); }
  void operator()(const Filter& filter) { collect(*filter.inner); }
  void operator()(const Extend& extend) {
    collect(*extend.inner);
    add(extend.variable.name);
  }
  void operator()(const Values& values) {
    for (const Variable& variable : values.variables) add(variable.name);
  }
  void operator()(const Graph& graph) {
    if (const Variable* name = variable_of(graph.name)) add(name->name);
    collect(*graph.inner);
  }
  void operator()(const Service& service) {
    if (const Variable* endpoint = variable_of(service.endpoint)) add(endpoint->name);
    collect(*service.inner);
  }
  void operator()(const SubSelect& sub) { collect(*sub.select); }

  void collect(const Pattern& pattern) { std::visit(*this, pattern.node); }
  void collect(const Select& select) {
    for (const SelectItem& item : select.items) add(item.variable.name);
    if (!select.is_star) return;
    collect(select.body.where);
    if (select.body.values) (*this)(*select.body.values);
  }

  VariableNames take() { return std::move(names_); }

 private:
  void add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }

  VariableNames names_;
  std::unordered_set<std::string_view> seen_;  // of names in the tree, which outlives this
};

// Adds the variables that every solution binds.
class CertainCollector {
 public:
  explicit CertainCollector(std::set<std::string>& names) : names_(names) {}

  void operator()(const BasicGraphPattern& pattern) {
    for_each_variable(pattern, [this](const Variable& variable) { names_.insert(variable.name); });
  }
  void operator()(const Join& join) {
    for (const Pattern& part : join.parts) collect(part);
  }
  void operator()(const LeftJoin& optional) { collect(*optional.left); }
  void operator()(const Union& alternatives) {
    if (alternatives.parts.empty()) return;
    std::set<std::string> common = certain_variables(alternatives.parts.front());
    for (std::size_t i = 1; i < alternatives.parts.size() && !common.empty(); ++i) {
      const std::set<std::string> other = certain_variables(alternatives.parts[i]);
      std::erase_if(common, [&](const std::string& name) { return !other.contains(name); });
    }
    add(std::move(common));
  }
  void operator()(const Minus& minus) { collect(*minus.left); }
  void operator()(const Filter& filter) { collect(*filter.inner); }
  void operator()(const Extend& extend) {
    // Most expressions may fail, which leaves the variable unbound.
    std::set<std::string> inner = certain_variables(*extend.inner);
    if (never_fails(*extend.expression, inner)) inner.insert(extend.variable.name);
    add(std::move(inner));
  }
  void operator()(const Values& values) {
    for (std::size_t column = 0; column < values.variables.size(); ++column) {
      const bool is_certain = std::all_of(values.rows.begin(), values.rows.end(),
                                          [&](const auto& row) { return row[column].has_value(); });
      if (is_certain) names_.insert(values.variables[column].name);
    }
  }
  void operator()(const Graph& graph) {
    if (const Variable* name = variable_of(graph.name)) names_.insert(name->name);
    collect(*graph.inner);
  }
  void operator()(const Service& service) {
    // A SILENT service that cannot be reached gives one empty solution.
    if (service.is_silent) return;
    if (const Variable* endpoint = variable_of(service.endpoint)) names_.insert(endpoint->name);
    collect(*service.inner);
  }
  void operator()(const SubSelect& sub) {
    const Select& select = *sub.select;
    std::set<std::string> inner = before_projection(select);
    if (select.is_star) return add(std::move(inner));
    for (const SelectItem& item : select.items) {
      if (item.expression && never_fails(*item.expression, inner)) inner.insert(item.variable.name);
      if (inner.contains(item.variable.name)) names_.insert(item.variable.name);
    }
  }

  void collect(const Pattern& pattern) { std::visit(*this, pattern.node); }

 private:
  // Long chains of BIND pass their names up without touching each again.
  void add(std::set<std::string>&& names) {
    if (names_.empty()) {
      names_ = std::move(names);
    } else {
      names_.merge(names);
    }
  }

  static bool never_fails(const Expression& expression, const std::set<std::string>& certain) {
    if (const auto* variable = expression.if_is<Variable>()) {
      return certain.contains(variable->name);
    }
    if (const auto* aggregate = expression.if_is<Aggregate>()) {
      return aggregate->kind == AggregateKind::Count;
    }
    return expression.if_is<Constant>() != nullptr;
  }

  // What is bound in every solution that the SELECT clause sees: of a grouped query, only keys.
  static std::set<std::string> before_projection(const Select& select) {
    const Body& body = select.body;
    std::set<std::string> names = certain_variables(body.where);
    if (is_grouped(select)) {
      std::set<std::string> keys;
      for (const GroupKey& key : body.group_by) {
        if (!never_fails(key.expression, names)) continue;
        if (key.name) keys.insert(key.name->name);
        if (const Variable* variable = key.expression.if_is<Variable>()) {
          keys.insert(variable->name);
        }
      }
      names = std::move(keys);
    }
    if (body.values) CertainCollector{names}(*body.values);
    return names;
  }

  std::set<std::string>& names_;
};

void add_mentioned(const Pattern& pattern, std::set<std::string>& names) {
  const auto add = [&](const auto& node) {
    if (const Variable* variable = variable_of(node)) names.insert(variable->name);
  };
  if (const auto* triples = pattern.if_is<BasicGraphPattern>()) {
    for_each_variable(*triples, [&](const Variable& variable) { names.insert(variable.name); });
  } else if (const auto* extend = pattern.if_is<Extend>()) {
    names.insert(extend->variable.name);
  } else if (const auto* values = pattern.if_is<Values>()) {
    for (const Variable& variable : values->variables) names.insert(variable.name);
  } else if (const auto* graph = pattern.if_is<Graph>()) {
    add(graph->name);
  } else if (const auto* service = pattern.if_is<Service>()) {
    add(service->endpoint);
  } else if (const auto* sub = pattern.if_is<SubSelect>()) {
    for (const SelectItem& item : sub->select->items) names.insert(item.variable.name);
    if (sub->select->body.values) {
      for (const Variable& variable : sub->select->body.values->variables) {
        names.insert(variable.name);
      }
    }
  }
}

// The parts in the order of the tree, an OPTIONAL behind what it extends.
class PartCollector {
 public:
  using Kind = PatternPart::Kind;

  void collect(const Pattern& pattern) {
    // What is left of it in the text comes first.
    if (const auto* optional = pattern.if_is<LeftJoin>()) {
      collect(*optional->left);
      add(Kind::Optional, pattern.span, pattern);
      collect(*optional->right);
      add_filters(pattern, optional->conditions);
    } else if (const auto* minus = pattern.if_is<Minus>()) {
      collect(*minus->left);
      add(Kind::Minus, pattern.span, pattern);
      collect(*minus->right);
    } else if (const auto* filter = pattern.if_is<Filter>()) {
      collect(*filter->inner);
      add_filters(pattern, filter->conditions);
    } else if (const auto* extend = pattern.if_is<Extend>()) {
      collect(*extend->inner);
      add(Kind::Bind, pattern.span, pattern).expression = &*extend->expression;
      collect(*extend->expression);
    } else {
      collect_element(pattern);
    }
  }
  void collect(const Select& select) {
    for (const SelectItem& item : select.items) {
      if (item.expression) collect(*item.expression);
    }
    collect(select.body);
  }
  void collect(const Body& body) {
    collect(body.where);
    for (const GroupKey& key : body.group_by) collect(key.expression);
    for (const Expression& condition : body.having) collect(condition);
    for (const OrderKey& key : body.order_by) collect(key.expression);
  }

  // FILTERs stand wherever in their group. What was not written stays behind what it followed.
  std::vector<PatternPart> take_in_order_of_text() {
    std::vector<std::pair<std::uint32_t, PatternPart>> placed;
    placed.reserve(parts_.size());
    std::uint32_t begin = 0;
    for (const PatternPart& part : parts_) {
      if (!part.span.empty()) begin = part.span.begin;
      placed.emplace_back(begin, part);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < placed.size(); ++i) parts_[i] = placed[i].second;
    return std::move(parts_);
  }

 private:
  void collect_element(const Pattern& pattern) {
    if (const auto* triples = pattern.if_is<BasicGraphPattern>()) {
      for (const TriplePattern& triple : triples->triples) {
        const bool is_path = std::holds_alternative<Path>(triple.predicate);
        add(is_path ? Kind::Path : Kind::Triple, triple.span, pattern).triple = &triple;
      }
    } else if (const auto* join = pattern.if_is<Join>()) {
      for (const Pattern& part : join->parts) collect(part);
    } else if (const auto* alternatives = pattern.if_is<Union>()) {
      add(Kind::Union, pattern.span, pattern);
      for (const Pattern& part : alternatives->parts) collect(part);
    } else if (const auto* values = pattern.if_is<Values>()) {
      add(Kind::Values, values->span, pattern);
    } else if (const auto* graph = pattern.if_is<Graph>()) {
      add(Kind::Graph, pattern.span, pattern);
      collect(*graph->inner);
    } else if (const auto* service = pattern.if_is<Service>()) {
      add(Kind::Service, pattern.span, pattern);
      collect(*service->inner);
    } else if (const auto* sub = pattern.if_is<SubSelect>()) {
      add(Kind::SubSelect, sub->select->span, pattern);
      collect(*sub->select);
    }
  }
  void collect(const Expression& expression) {
    if (const auto* operation = expression.if_is<Operation>()) {
      for (const Expression& argument : operation->arguments) collect(argument);
    } else if (const auto* call = expression.if_is<Call>()) {
      for (const Expression& argument : call->arguments) collect(argument);
    } else if (const auto* aggregate = expression.if_is<Aggregate>()) {
      for (const Expression& argument : aggregate->argument) collect(argument);
    } else if (const auto* exists = expression.if_is<Exists>()) {
      collect(*exists->pattern);
    }
  }
  void add_filters(const Pattern& pattern, const std::vector<Expression>& conditions) {
    for (const Expression& condition : conditions) {
      add(Kind::Filter, condition.span, pattern).expression = &condition;
      collect(condition);
    }
  }
  PatternPart& add(Kind kind, SourceSpan span, const Pattern& pattern) {
    return parts_.emplace_back(PatternPart{kind, span, &pattern, nullptr, nullptr});
  }

  std::vector<PatternPart> parts_;
};

}  // namespace

VariableNames variables_in_scope(const Pattern& pattern) {
  ScopeCollector scope;
  scope.collect(pattern);
  return scope.take();
}

std::set<std::string> certain_variables(const Pattern& pattern) {
  std::set<std::string> names;
  CertainCollector(names).collect(pattern);
  return names;
}

VariableNames result_variables(const Select& select) {
  ScopeCollector scope;
  scope.collect(select);
  return scope.take();
}

std::set<std::string> mentioned_variables(const Expression& expression) {
  std::set<std::string> names;
  Walker walker([&](const Pattern& pattern) { add_mentioned(pattern, names); },
                [&](const Expression& part) {
                  const auto* variable = part.if_is<Variable>();
                  if (variable != nullptr) names.insert(variable->name);
                });
  walker.walk(expression);
  return names;
}

bool has_aggregate(const Expression& expression) {
  const auto any = [](const std::vector<Expression>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), has_aggregate);
  };
  if (const auto* operation = expression.if_is<Operation>()) return any(operation->arguments);
  if (const auto* call = expression.if_is<Call>()) return any(call->arguments);
  return expression.if_is<Aggregate>() != nullptr;
}

bool is_grouped(const Body& body) {
  return !body.group_by.empty() || !body.having.empty() ||
         std::any_of(body.order_by.begin(), body.order_by.end(),
                     [](const OrderKey& key) { return has_aggregate(key.expression); });
}

bool is_grouped(const Select& select) {
  return is_grouped(select.body) ||
         std::any_of(select.items.begin(), select.items.end(), [](const SelectItem& item) {
           return item.expression && has_aggregate(*item.expression);
         });
}

std::vector<PatternPart> pattern_parts(const Query& query) {
  PartCollector parts;
  if (const auto* select = std::get_if<Select>(&query.form)) {
    parts.collect(*select);
  } else {
    parts.collect(query.body());
  }
  return parts.take_in_order_of_text();
}

void for_each_pattern(const Pattern& pattern, const std::function<void(const Pattern&)>& visit) {
  Walker walker([&](const Pattern& node) { visit(node); }, [](const Expression&) {});
  walker.walk(pattern);
}

void for_each_expression(const Pattern& pattern,
                         const std::function<void(const Expression&)>& visit) {
  Walker walker([](const Pattern&) {}, [&](const Expression& node) { visit(node); });
  walker.walk(pattern);
}

}  // namespace helve::sparql
