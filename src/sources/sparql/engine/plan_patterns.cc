// Planner: one function for each kind of pattern. Joins are in plan_joins.cc, solution modifiers in
// plan_modifiers.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/filter_rows.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/service_join.h"
#include "sources/sparql/engine/step_costs.h"

namespace helve::sparql {

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

// True when the expression has the same value whether or not the seed's variables are bound: it
// looks only at those that are bound anyway, or that the seed does not have.
bool is_blind_to(const VariableSet& seed, const Expression& expression,
                 const VariableSet& bound_anyway) {
  if (!is_repeatable(expression)) return false;
  const VariableSet mentioned = mentioned_variables(expression);
  return std::all_of(mentioned.begin(), mentioned.end(), [&](const std::string& name) {
    return bound_anyway.contains(name) || !seed.contains(name);
  });
}
bool is_blind_to(const VariableSet& seed, const std::vector<Expression>& conditions,
                 const VariableSet& bound_anyway) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Expression& condition) {
    return is_blind_to(seed, condition, bound_anyway);
  });
}

// Of a service that is not known.
constexpr double kServiceRows = 100;

std::string text_of(const std::vector<const Expression*>& expressions) {
  std::string text;
  for (const Expression* expression : expressions) {
    if (!text.empty()) text += ", ";
    text += to_sparql(*expression);
  }
  return text;
}

// EXISTS: the pattern is run with the row's values put in.
class Probe final : public PatternProbe {
 public:
  Probe(Seed& seed, OperatorPtr plan, RunState& run)
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
  Seed& seed_;
  OperatorPtr plan_;
  RunState& run_;
  Batch found_;
};

}  // namespace

// A AND B holds where both do: as conditions they can be asked apart.
static void split(const Expression& condition, std::vector<const Expression*>& parts) {
  const auto* operation = condition.if_is<Operation>();
  if (operation == nullptr || operation->function != Function::And) {
    parts.push_back(&condition);
    return;
  }
  for (const Expression& argument : operation->arguments) split(argument, parts);
}

std::vector<const Expression*> split_conditions(const std::vector<Expression>& conditions) {
  std::vector<const Expression*> parts;
  for (const Expression& condition : conditions) split(condition, parts);
  return parts;
}

StepEstimate hash_estimate(const std::vector<PlanNode*>& inputs) {
  StepEstimate estimate;
  for (const PlanNode* input : inputs) {
    if (input == nullptr) continue;
    estimate.rows = std::max(estimate.rows, input->estimated_rows);
    estimate.cost += input->estimated_rows * kHashCost;
  }
  return estimate;
}

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

bool is_bindable(const Pattern& pattern, const VariableSet& seed) {
  const auto all_bindable = [&](const std::vector<Pattern>& parts) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Pattern& part) { return is_bindable(part, seed); });
  };
  return std::visit(
      Overloaded{
          [](const BasicGraphPattern&) { return true; },
          [&](const Join& node) { return all_bindable(node.parts); },
          [&](const Union& node) { return all_bindable(node.parts); },
          [&](const LeftJoin& node) {
            // What only the optional side may bind must not be bound before.
            const VariableSet certain = certain_variables(*node.left);
            for (const std::string& name : variables_in_scope(*node.right)) {
              if (seed.contains(name) && !certain.contains(name)) return false;
            }
            return is_bindable(*node.left, seed) && is_bindable(*node.right, seed) &&
                   is_blind_to(seed, node.conditions, certain);
          },
          [&](const Filter& node) {
            return is_bindable(*node.inner, seed) &&
                   is_blind_to(seed, node.conditions, certain_variables(*node.inner));
          },
          [&](const Extend& node) {
            return !seed.contains(node.variable.name) && is_bindable(*node.inner, seed) &&
                   is_blind_to(seed, *node.expression, certain_variables(*node.inner));
          },
          [&](const Graph& node) {
            return std::holds_alternative<Constant>(node.name) && is_bindable(*node.inner, seed);
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
    : run_(run),
      storage_(storage),
      dataset_(dataset),
      has_named_graphs_(!run.data().named_graphs().empty()) {}

GraphScope& Planner::add_scope(GraphScope scope) {
  return storage_.scopes.emplace_back(std::move(scope));
}

PlanFrame Planner::outer_frame() {
  PlanFrame frame;
  frame.seed = &storage_.seeds.emplace_back();
  frame.scope = &add_scope(dataset_.default_graph);
  return frame;
}

PlanFrame PlanFrame::needing(const VariableSet& more) const {
  PlanFrame frame = *this;
  if (needed == nullptr) return frame;
  auto all = std::make_shared<VariableSet>(*needed);
  all->insert(more.begin(), more.end());
  frame.needed = std::move(all);
  return frame;
}

PlanFrame PlanFrame::knowing(const VariableSet& bound) const {
  PlanFrame frame = *this;
  frame.certain.insert(bound.begin(), bound.end());
  return frame;
}

PlanFrame PlanFrame::needing(const std::vector<const Expression*>& conditions) const {
  if (needed == nullptr) return *this;
  VariableSet mentioned;
  for (const Expression* condition : conditions) mentioned.merge(mentioned_variables(*condition));
  return needing(mentioned);
}

Result<void> Planner::charge(const Operator& made) {
  const std::size_t columns = made.schema().size();
  if (columns > run_.op.limits.query_columns_max) {
    return Error(ErrorCode::LimitExceeded,
                 fmt::format("the query has more than {} variables and blank nodes in one place",
                             format_count(run_.op.limits.query_columns_max)),
                 "ask in several queries, or in sub-queries that select what is needed");
  }
  std::size_t bytes = columns * (batch_rows(columns) * sizeof(Id) + sizeof(std::string));
  for (const std::string& name : made.schema().names()) bytes += name.size();
  return run_.batches.add(bytes);
}

Result<OperatorPtr> Planner::step(OperatorPtr made, StepText text, StepEstimate estimate,
                                  const std::vector<PlanNode*>& inputs) {
  HELVE_TRY(charge(*made));
  if (!is_explained()) return made;
  PlanNode& node = storage_.nodes.emplace_back();
  node.name = std::move(text.name);
  node.detail = std::move(text.detail);
  node.order = std::move(text.order);
  constexpr double kMost = 1e18;  // beyond it nothing is known
  node.estimated_rows = std::min(estimate.rows, kMost);
  node.cost = std::min(estimate.cost, kMost);
  for (PlanNode* input : inputs) {
    if (input == nullptr) continue;
    node.inputs.push_back(input);
    node.cost = std::min(node.cost + input->cost, kMost);
  }
  made->set_plan_node(&node);
  if (run_.explain != Explain::Measured) return made;
  return make_measured(std::move(made), node, run_);
}

Result<OperatorPtr> Planner::plan_pattern(const Pattern& pattern) {
  return plan(pattern, outer_frame());
}

Result<OperatorPtr> Planner::plan(const Pattern& pattern, const PlanFrame& frame) {
  HELVE_TRY(run_.op.check());
  const bool passes_goal = pattern.if_is<Union>() != nullptr ||
                           pattern.if_is<LeftJoin>() != nullptr ||
                           pattern.if_is<SubSelect>() != nullptr;
  if (!frame.row_goal || passes_goal) return plan_node(pattern, frame);
  PlanFrame own = frame;
  own.row_goal.reset();
  own.is_cut = true;
  return plan_node(pattern, own);
}

Result<OperatorPtr> Planner::cut_to_goal(OperatorPtr made, const PlanFrame& frame) {
  if (!frame.row_goal) return made;
  PlanNode* const below = made->plan_node();
  const double rows = below != nullptr ? below->estimated_rows : 0;
  const double goal = static_cast<double>(*frame.row_goal);
  return step(make_slice(std::move(made), 0, *frame.row_goal),
              {"slice", fmt::format("LIMIT {}", *frame.row_goal), ""}, {std::min(rows, goal), 0},
              {below});
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
    Seed& seed = storage_.seeds.emplace_back(std::move(*Seed::of(schema, nullptr)));
    PlanFrame inner;
    inner.seed = &seed;
    inner.scope = frame.scope;
    inner.is_volatile = true;
    inner.is_existence = true;
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

Result<OperatorPtr> Planner::with_filter(OperatorPtr input, const Conditions& conditions,
                                         const PlanFrame& frame) {
  Conditions plain;
  Conditions patterns;
  for (const Expression* condition : conditions) {
    (is_semi_join(*condition, input->schema(), frame) ? patterns : plain).push_back(condition);
  }
  if (!plain.empty()) {
    HELVE_ASSIGN(auto bound, bind_all(plain, input->schema(), frame));
    PlanNode* const below = input->plan_node();
    constexpr double kKept = 0.4;
    const double rows = below != nullptr ? below->estimated_rows * kKept : 0;
    StepText text{"filter", is_explained() ? text_of(plain) : "", ""};
    HELVE_ASSIGN(input, step(make_filter(std::move(input), std::move(bound), run_), std::move(text),
                             {rows, rows / kKept * kFilterCost}, {below}));
  }
  while (!patterns.empty()) {
    const Expression& condition = *patterns.front();
    patterns.erase(patterns.begin());
    HELVE_ASSIGN(input, with_exists(std::move(input), condition, frame.needing(patterns)));
  }
  return input;
}

Result<OperatorPtr> Planner::plan_seed(const PlanFrame& frame) {
  return step(make_seed(*frame.seed), {"seed", "", ""}, {1, 0}, {});
}

Result<OperatorPtr> Planner::plan_union(const Union& node, const PlanFrame& frame) {
  std::vector<OperatorPtr> parts;
  std::vector<PlanNode*> inputs;
  double rows = 0;
  for (const Pattern& part : node.parts) {
    HELVE_ASSIGN(OperatorPtr made, plan(part, frame));
    HELVE_ASSIGN(made, cut_to_goal(std::move(made), frame));
    inputs.push_back(made->plan_node());
    if (inputs.back() != nullptr) rows += inputs.back()->estimated_rows;
    parts.push_back(std::move(made));
  }
  return step(make_union(std::move(parts)), {"union", "", ""}, {rows, rows}, inputs);
}

Result<OperatorPtr> Planner::plan_filter(const Filter& node, const PlanFrame& frame) {
  const Conditions conditions = split_conditions(node.conditions);
  if (run_.passes.has(Pass::PushFilters)) {
    if (const auto* join = node.inner->if_is<Join>()) {
      std::vector<const Pattern*> parts;
      for (const Pattern& part : join->parts) parts.push_back(&part);
      return plan_join(parts, conditions, frame);
    }
    if (node.inner->if_is<BasicGraphPattern>() != nullptr) {
      return plan_join({&*node.inner}, conditions, frame);
    }
  }
  HELVE_ASSIGN(OperatorPtr inner, plan(*node.inner, frame.needing(conditions)));
  return with_filter(std::move(inner), conditions, frame.knowing(certain_variables(*node.inner)));
}

// BINDs that follow each other are one step: they see the same solution.
Result<OperatorPtr> Planner::plan_extend(const Extend& node, const PlanFrame& frame) {
  std::vector<const Extend*> chain = {&node};
  while (const auto* before = chain.back()->inner->if_is<Extend>()) chain.push_back(before);
  std::reverse(chain.begin(), chain.end());
  Conditions expressions;
  VariableSet made_here;
  for (const Extend* extend : chain) {
    expressions.push_back(&*extend->expression);
    made_here.insert(extend->variable.name);
  }
  HELVE_ASSIGN(OperatorPtr inner,
               plan(*chain.front()->inner, frame.needing(expressions).needing(made_here)));
  std::vector<ComputedColumn> computed;
  Schema schema = inner->schema();
  for (const Extend* extend : chain) {
    HELVE_ASSIGN(BoundExpression bound, bind(*extend->expression, schema, frame));
    computed.push_back({extend->variable.name, std::move(bound)});
    schema.add(extend->variable.name);
  }
  PlanNode* const below = inner->plan_node();
  const double rows = below != nullptr ? below->estimated_rows : 0;
  return step(make_extend(std::move(inner), std::move(computed), run_),
              {"extend", is_explained() ? text_of(expressions) : "", ""},
              {rows, rows * kFilterCost}, {below});
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
  const auto count = static_cast<double>(rows.size());
  HELVE_ASSIGN(OperatorPtr made, step(make_rows(std::move(schema), std::move(rows)),
                                      {"values", "", ""}, {count, count}, {}));
  if (frame.seed->schema.size() == 0) return made;
  HELVE_ASSIGN(OperatorPtr outside, plan_seed(frame));
  const std::vector<PlanNode*> inputs = {outside->plan_node(), made->plan_node()};
  return step(make_hash_join(JoinKind::Inner, std::move(outside), std::move(made), {}, false, run_),
              {"hash join", "with the rows outside", ""}, {1, count}, inputs);
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
  if (is_there) return made;
  PlanNode* const below = made->plan_node();
  return step(make_slice(std::move(made), 0, 0), {"no such graph", "", ""}, {0, 0}, {below});
}

Result<OperatorPtr> Planner::plan_graph_variable(const Variable& variable, const Pattern& inner,
                                                 const PlanFrame& frame) {
  PlanFrame inside = frame.needing({variable.name});
  inside.scope = &add_scope({GraphScope::Kind::One, {}, {}});
  inside.is_volatile = true;
  HELVE_ASSIGN(OperatorPtr made, plan(inner, inside));
  PlanNode* const below = made->plan_node();
  const double rows = below != nullptr ? below->estimated_rows : 0;
  return step(make_graph_loop(std::move(made), variable.name, dataset_.named, *inside.scope, run_),
              {"for each graph", "?" + variable.name, ""}, {rows, rows}, {below});
}

Result<OperatorPtr> Planner::plan_service(const Service& node, const PlanFrame& frame) {
  if (run_.services == nullptr) {
    return Error(ErrorCode::Denied, "SERVICE is refused: queries reach no other endpoint here");
  }
  HELVE_ASSIGN(OperatorPtr outside, plan_seed(frame));
  PlanNode* const below = outside->plan_node();
  return step(make_service_join(std::move(outside), node, run_), {"service", "", ""},
              {kServiceRows, kServiceRows * kServiceCost}, {below});
}

// A sub-query has variables of its own: it is run without the seed, then joined with it.
Result<OperatorPtr> Planner::plan_sub_select(const Select& select, const PlanFrame& frame) {
  PlanFrame inner;
  inner.seed = &storage_.seeds.emplace_back();
  inner.scope = frame.scope;
  inner.is_volatile = frame.scope->kind == GraphScope::Kind::One;
  if (frame.row_goal && frame.seed->schema.size() == 0) {
    // Only the first rows are looked at: a sort need keep no others.
    Select& cut = storage_.selects.emplace_back(select);
    cut.body.limit = std::min(cut.body.limit.value_or(UINT64_MAX), *frame.row_goal);
    return plan_select_in(cut, inner);
  }
  HELVE_ASSIGN(OperatorPtr made, plan_select_in(select, inner));
  if (frame.seed->schema.size() == 0) return made;
  HELVE_ASSIGN(OperatorPtr outside, plan_seed(frame));
  const std::vector<PlanNode*> inputs = {outside->plan_node(), made->plan_node()};
  return step(make_hash_join(JoinKind::Inner, std::move(outside), std::move(made), {},
                             inner.is_volatile, run_),
              {"hash join", "with the rows outside", ""}, hash_estimate(inputs), inputs);
}

}  // namespace helve::sparql
