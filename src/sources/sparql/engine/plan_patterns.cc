// Planner: one function for each kind of pattern. Joins are in plan_joins.cc, solution modifiers in
// plan_modifiers.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/filter_rows.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/service_join.h"

namespace helve::sparql {

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::vector<const Expression*> pointers(const std::vector<Expression>& expressions) {
  std::vector<const Expression*> result;
  result.reserve(expressions.size());
  for (const Expression& expression : expressions) result.push_back(&expression);
  return result;
}

bool sees_only(const std::vector<Expression>& conditions, const VariableSet& variables) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Expression& condition) {
    if (!is_repeatable(condition)) return false;
    const VariableSet mentioned = mentioned_variables(condition);
    return std::includes(variables.begin(), variables.end(), mentioned.begin(), mentioned.end());
  });
}

// EXISTS: the pattern is run with the row's values put in.
class Probe final : public PatternProbe {
 public:
  Probe(SeedRow& seed, OperatorPtr plan, RunState& run)
      : seed_(seed), plan_(std::move(plan)), run_(run) {}

  // A plan that has found something keeps its error for the next call, which never comes: so each
  // probe looks at the clock itself.
  Result<bool> exists(const Batch& batch, std::size_t row) override {
    HELVE_TRY(run_.op.check());
    // The solutions inside have blank nodes of their own.
    auto labels = std::exchange(run_.expressions.labelled_blanks(), {});
    seed_.set(batch, row);
    plan_->restart();
    Result<bool> found = plan_->next(found_);
    run_.expressions.labelled_blanks() = std::move(labels);
    return found;
  }

 private:
  SeedRow& seed_;
  OperatorPtr plan_;
  RunState& run_;
  Batch found_;
};

}  // namespace

bool is_repeatable(const Expression& expression) {
  const auto all_repeatable = [](const std::vector<Expression>& arguments) {
    return std::all_of(arguments.begin(), arguments.end(), is_repeatable);
  };
  return std::visit(Overloaded{
                        [&](const Operation& node) {
                          const bool is_new_each_time = node.function == Function::Rand ||
                                                        node.function == Function::Uuid ||
                                                        node.function == Function::StrUuid ||
                                                        node.function == Function::BNode;
                          return !is_new_each_time && all_repeatable(node.arguments);
                        },
                        [&](const Call& node) { return all_repeatable(node.arguments); },
                        [](const Exists&) { return false; },
                        [](const auto&) { return true; },
                    },
                    expression.node);
}

bool is_bindable(const Pattern& pattern) {
  const auto all_bindable = [](const std::vector<Pattern>& parts) {
    return std::all_of(parts.begin(), parts.end(), is_bindable);
  };
  return std::visit(Overloaded{
                        [](const BasicGraphPattern&) { return true; },
                        [&](const Join& node) { return all_bindable(node.parts); },
                        [&](const Union& node) { return all_bindable(node.parts); },
                        [](const Filter& node) {
                          return is_bindable(*node.inner) &&
                                 sees_only(node.conditions, certain_variables(*node.inner));
                        },
                        [](const Graph& node) {
                          return std::holds_alternative<Constant>(node.name) &&
                                 is_bindable(*node.inner);
                        },
                        [](const auto&) { return false; },
                    },
                    pattern.node);
}

bool is_connected(const Pattern& pattern, const VariableSet& bound) {
  const VariableSet inside = certain_variables(pattern);
  return std::any_of(inside.begin(), inside.end(),
                     [&](const std::string& name) { return bound.contains(name); });
}

Planner::Planner(RunState& run, PlanStorage& storage, const DatasetView& dataset)
    : run_(run), storage_(storage), dataset_(dataset) {}

GraphScope& Planner::add_scope(GraphScope scope) {
  return storage_.scopes.emplace_back(std::move(scope));
}

PlanFrame Planner::outer_frame() {
  PlanFrame frame;
  frame.seed = &storage_.seeds.emplace_back();
  frame.scope = &add_scope(dataset_.default_graph);
  return frame;
}

Result<OperatorPtr> Planner::charged(OperatorPtr made) {
  const std::size_t columns = made->schema().size();
  if (columns > run_.op.limits.query_columns_max) {
    return Error(ErrorCode::LimitExceeded,
                 fmt::format("the query has more than {} variables and blank nodes in one place",
                             format_count(run_.op.limits.query_columns_max)),
                 "ask in several queries, or in sub-queries that select what is needed");
  }
  std::size_t bytes = columns * (batch_rows(columns) * sizeof(Id) + sizeof(std::string));
  for (const std::string& name : made->schema().names()) bytes += name.size();
  HELVE_TRY(run_.batches.add(bytes));
  return made;
}

Result<OperatorPtr> Planner::plan_pattern(const Pattern& pattern) {
  return plan(pattern, outer_frame());
}

Result<OperatorPtr> Planner::plan(const Pattern& pattern, const PlanFrame& frame) {
  HELVE_TRY(run_.op.check());
  HELVE_ASSIGN(OperatorPtr made, plan_node(pattern, frame));
  return charged(std::move(made));
}

Result<OperatorPtr> Planner::plan_node(const Pattern& pattern, const PlanFrame& frame) {
  return std::visit(Overloaded{
                        [&](const BasicGraphPattern&) { return plan_join({&pattern}, {}, frame); },
                        [&](const Join& node) {
                          std::vector<const Pattern*> parts;
                          for (const Pattern& part : node.parts) parts.push_back(&part);
                          return plan_join(parts, {}, frame);
                        },
                        [&](const LeftJoin& node) { return plan_left_join(node, frame); },
                        [&](const Union& node) { return plan_union(node, frame); },
                        [&](const Minus& node) { return plan_minus(node, frame); },
                        [&](const Filter& node) { return plan_filter(node, frame); },
                        [&](const Extend& node) { return plan_extend(node, frame); },
                        [&](const Values& node) { return plan_values(node, frame); },
                        [&](const Graph& node) { return plan_graph(node, frame); },
                        [&](const Service& node) { return plan_service(node, frame); },
                        [&](const SubSelect& node) { return plan_sub_select(*node.select, frame); },
                    },
                    pattern.node);
}

Result<BoundExpression> Planner::bind(const Expression& expression, const Schema& schema,
                                      const PlanFrame& frame) {
  const MakeProbe make_probe = [&](const Exists& exists) -> Result<std::unique_ptr<PatternProbe>> {
    SeedRow& seed = storage_.seeds.emplace_back();
    seed.schema = schema;
    seed.ids.resize(schema.size());
    PlanFrame inner;
    inner.seed = &seed;
    inner.scope = frame.scope;
    inner.is_volatile = true;
    inner.likely.insert(schema.names().begin(), schema.names().end());
    HELVE_ASSIGN(OperatorPtr plan, this->plan(*exists.pattern, inner));
    return std::unique_ptr<PatternProbe>(std::make_unique<Probe>(seed, std::move(plan), run_));
  };
  return BoundExpression::bind(expression, schema, run_.expressions, make_probe);
}

Result<std::vector<BoundExpression>> Planner::bind_all(
    const std::vector<const Expression*>& expressions, const Schema& schema,
    const PlanFrame& frame) {
  std::vector<BoundExpression> bound;
  for (const Expression* expression : expressions) {
    HELVE_ASSIGN(BoundExpression one, bind(*expression, schema, frame));
    bound.push_back(std::move(one));
  }
  return bound;
}

Result<OperatorPtr> Planner::with_filter(OperatorPtr input,
                                         const std::vector<const Expression*>& conditions,
                                         const PlanFrame& frame) {
  if (conditions.empty()) return input;
  HELVE_ASSIGN(auto bound, bind_all(conditions, input->schema(), frame));
  return charged(make_filter(std::move(input), std::move(bound), run_));
}

Result<OperatorPtr> Planner::join_seeded(JoinKind kind, OperatorPtr left, const Pattern& right,
                                         const std::vector<const Expression*>& conditions,
                                         VariableSet certain, VariableSet likely,
                                         const PlanFrame& frame) {
  auto seed = std::make_unique<SeedRow>();
  seed->schema = left->schema();
  seed->ids.resize(left->schema().size());
  PlanFrame inner;
  inner.seed = seed.get();
  inner.scope = frame.scope;
  inner.certain = std::move(certain);
  inner.likely = std::move(likely);
  inner.is_volatile = true;
  HELVE_ASSIGN(OperatorPtr plan, this->plan(right, inner));
  HELVE_ASSIGN(auto bound, bind_all(conditions, plan->schema(), frame));
  return make_seeded_join(kind, std::move(left), std::move(seed), std::move(plan), std::move(bound),
                          run_);
}

Result<OperatorPtr> Planner::plan_left_join(const LeftJoin& join, const PlanFrame& frame) {
  HELVE_ASSIGN(OperatorPtr left, plan(*join.left, frame));
  VariableSet certain = certain_variables(*join.left);
  certain.insert(frame.certain.begin(), frame.certain.end());
  VariableSet likely = certain;
  likely.insert(frame.likely.begin(), frame.likely.end());
  const auto conditions = pointers(join.conditions);
  if (is_bindable(*join.right) && is_connected(*join.right, likely)) {
    return join_seeded(JoinKind::Left, std::move(left), *join.right, conditions, std::move(certain),
                       std::move(likely), frame);
  }
  HELVE_ASSIGN(OperatorPtr right, plan(*join.right, frame));
  HELVE_ASSIGN(auto bound,
               bind_all(conditions, joined_schema(left->schema(), right->schema()), frame));
  return make_hash_join(JoinKind::Left, std::move(left), std::move(right), std::move(bound),
                        frame.is_volatile, run_);
}

Result<OperatorPtr> Planner::plan_union(const Union& node, const PlanFrame& frame) {
  std::vector<OperatorPtr> parts;
  for (const Pattern& part : node.parts) {
    HELVE_ASSIGN(OperatorPtr made, plan(part, frame));
    parts.push_back(std::move(made));
  }
  return make_union(std::move(parts));
}

// Only variables that both sides have themselves can be shared; a seed is no part of them.
Result<OperatorPtr> Planner::plan_minus(const Minus& node, const PlanFrame& frame) {
  HELVE_ASSIGN(OperatorPtr left, plan(*node.left, frame));
  HELVE_ASSIGN(OperatorPtr right, plan(*node.right, frame));
  const Schema of_left(variables_in_scope(*node.left));
  std::vector<std::string> shared;
  for (const std::string& name : variables_in_scope(*node.right)) {
    if (of_left.find(name)) shared.push_back(name);
  }
  right = make_projection(std::move(right), std::move(shared));
  return make_hash_join(JoinKind::Minus, std::move(left), std::move(right), {}, frame.is_volatile,
                        run_);
}

Result<OperatorPtr> Planner::plan_filter(const Filter& node, const PlanFrame& frame) {
  const auto conditions = pointers(node.conditions);
  if (const auto* join = node.inner->if_is<Join>()) {
    std::vector<const Pattern*> parts;
    for (const Pattern& part : join->parts) parts.push_back(&part);
    return plan_join(parts, conditions, frame);
  }
  if (node.inner->if_is<BasicGraphPattern>() != nullptr) {
    return plan_join({&*node.inner}, conditions, frame);
  }
  HELVE_ASSIGN(OperatorPtr inner, plan(*node.inner, frame));
  return with_filter(std::move(inner), conditions, frame);
}

// BINDs that follow each other are one step: they see the same solution.
Result<OperatorPtr> Planner::plan_extend(const Extend& node, const PlanFrame& frame) {
  std::vector<const Extend*> chain = {&node};
  while (const auto* before = chain.back()->inner->if_is<Extend>()) chain.push_back(before);
  HELVE_ASSIGN(OperatorPtr inner, plan(*chain.back()->inner, frame));
  std::vector<ComputedColumn> computed;
  Schema schema = inner->schema();
  std::reverse(chain.begin(), chain.end());
  for (const Extend* extend : chain) {
    HELVE_ASSIGN(BoundExpression bound, bind(*extend->expression, schema, frame));
    computed.push_back({extend->variable.name, std::move(bound)});
    schema.add(extend->variable.name);
  }
  return make_extend(std::move(inner), std::move(computed), run_);
}

Result<OperatorPtr> Planner::plan_values(const Values& node, const PlanFrame& frame) {
  Schema schema;
  for (const Variable& variable : node.variables) schema.add(variable.name);
  std::vector<std::vector<Id>> rows;
  for (const auto& terms : node.rows) {
    auto& row = rows.emplace_back(schema.size());
    for (std::size_t column = 0; column < terms.size(); ++column) {
      if (!terms[column]) continue;
      HELVE_ASSIGN(row[column], run_.terms.intern(terms[column]->view()));
    }
  }
  HELVE_TRY(run_.batches.add(rows.size() * (schema.size() * sizeof(Id) + 24)));
  OperatorPtr made = make_rows(std::move(schema), std::move(rows));
  if (frame.seed->schema.size() == 0) return made;
  return make_hash_join(JoinKind::Inner, make_seed(*frame.seed), std::move(made), {}, false, run_);
}

Result<OperatorPtr> Planner::plan_graph(const Graph& node, const PlanFrame& frame) {
  if (const auto* variable = std::get_if<Variable>(&node.name)) {
    return plan_graph_variable(*variable, *node.inner, frame);
  }
  const auto id = run_.terms.find(std::get<Constant>(node.name).term.view());
  const bool is_there = id && std::binary_search(dataset_.named.begin(), dataset_.named.end(), *id);
  PlanFrame inner = frame;
  inner.scope = &add_scope({GraphScope::Kind::One, is_there ? *id : Id(), {}});
  HELVE_ASSIGN(OperatorPtr made, plan(*node.inner, inner));
  // A graph that is not there has no solutions, not even of the empty pattern.
  if (!is_there) return make_slice(std::move(made), 0, 0);
  return made;
}

Result<OperatorPtr> Planner::plan_graph_variable(const Variable& variable, const Pattern& inner,
                                                 const PlanFrame& frame) {
  PlanFrame inside = frame;
  inside.scope = &add_scope({GraphScope::Kind::One, {}, {}});
  inside.is_volatile = true;
  HELVE_ASSIGN(OperatorPtr made, plan(inner, inside));
  return make_graph_loop(std::move(made), variable.name, dataset_.named, *inside.scope, run_);
}

Result<OperatorPtr> Planner::plan_service(const Service& node, const PlanFrame& frame) {
  if (run_.services == nullptr) {
    return Error(ErrorCode::Denied, "SERVICE is refused: queries reach no other endpoint here");
  }
  return make_service_join(make_seed(*frame.seed), node, run_);
}

// A sub-query has variables of its own: it is run without the seed, then joined with it.
Result<OperatorPtr> Planner::plan_sub_select(const Select& select, const PlanFrame& frame) {
  PlanFrame inner;
  inner.seed = &storage_.seeds.emplace_back();
  inner.scope = frame.scope;
  inner.is_volatile = frame.scope->kind == GraphScope::Kind::One;
  HELVE_ASSIGN(OperatorPtr made, plan_select_in(select, inner));
  if (frame.seed->schema.size() == 0) return made;
  return make_hash_join(JoinKind::Inner, make_seed(*frame.seed), std::move(made), {},
                        inner.is_volatile, run_);
}

}  // namespace helve::sparql
