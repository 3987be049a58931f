// Planner: patterns to operators. What is chosen by cost, and what is rewritten, are the passes of
// passes.h; every choice keeps the bottom-up meaning of the algebra.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/marking_join.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/plan_node.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

using VariableSet = std::set<std::string>;

// What a plan refers to. Outlives its operators.
struct PlanStorage {
  std::deque<GraphScope> scopes;
  std::deque<Seed> seeds;
  std::deque<Pattern> patterns;       // made from paths
  std::deque<TriplePattern> triples;  // made from paths
  std::deque<Select> selects;         // with a limit from outside
  std::deque<PlanNode> nodes;         // empty where no one asked for the plan
  std::size_t row_columns = 0;        // names of columns that number rows
};

// Which graphs a query sees.
struct DatasetView {
  GraphScope default_graph;
  std::vector<Id> named;  // ascending
};

// Where a pattern stands.
struct PlanFrame {
  const Seed* seed = nullptr;             // never null once planning
  GraphScope* scope = nullptr;            // never null once planning
  VariableSet certain;                    // variables of the seed that are bound
  VariableSet likely;                     // and those that may be: for choosing an order only
  bool is_volatile = false;               // the seed or the graph changes between restarts
  bool is_existence = false;              // of the rows of a seed row, one is as good as many
  std::optional<std::uint64_t> row_goal;  // no more rows than these are looked at
  bool is_cut = false;                    // a step above stops at such a goal
  // Variables that something above the pattern looks at; null: all of them.
  std::shared_ptr<const VariableSet> needed;

  // The same place, where these are looked at too.
  PlanFrame needing(const VariableSet& more) const;
  PlanFrame needing(const std::vector<const Expression*>& conditions) const;
  // The same place, where these variables are bound.
  PlanFrame knowing(const VariableSet& bound) const;
  const VariableSet* kept() const { return needed.get(); }
};

// How a step is shown, and what is expected of it.
struct StepText {
  std::string name;
  std::string detail;
  std::string order;
};
struct StepEstimate {
  double rows = 0;
  double cost = 0;  // of the step alone
};

// The query is looked at while planning only.
class Planner {
 public:
  Planner(RunState& run, PlanStorage& storage, const DatasetView& dataset);

  // A SELECT or sub-query; the schema is its columns.
  Result<OperatorPtr> plan_select(const Select& select);
  // A body of another form: all variables in scope, ordered and cut.
  Result<OperatorPtr> plan_body(const Body& body);
  Result<OperatorPtr> plan_pattern(const Pattern& pattern);

 private:
  friend class JoinPlanner;
  using Conditions = std::vector<const Expression*>;

  PlanFrame outer_frame();
  Result<OperatorPtr> plan(const Pattern& pattern, const PlanFrame& frame);
  Result<OperatorPtr> plan_node(const Pattern& pattern, const PlanFrame& frame);
  Result<OperatorPtr> plan_seed(const PlanFrame& frame);
  Result<OperatorPtr> plan_left_join(const LeftJoin& join, const PlanFrame& frame);
  Result<OperatorPtr> plan_union(const Union& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_minus(const Minus& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_filter(const Filter& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_extend(const Extend& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_values(const Values& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_graph(const Graph& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_graph_variable(const Variable& variable, const Pattern& inner,
                                          const PlanFrame& frame);
  Result<OperatorPtr> plan_service(const Service& node, const PlanFrame& frame);
  Result<OperatorPtr> plan_sub_select(const Select& select, const PlanFrame& frame);
  Result<OperatorPtr> plan_join(const std::vector<const Pattern*>& parts,
                                const Conditions& conditions, const PlanFrame& frame);
  // MINUS by looking the rows of the left up; null where it must be a hash join.
  Result<OperatorPtr> plan_anti_join(OperatorPtr& left, const Minus& node, const PlanFrame& frame);

  struct Modified;  // modified.h
  Result<OperatorPtr> plan_solutions(const Body& body, const std::vector<SelectItem>& items,
                                     const VariableNames* columns, const PlanFrame& frame,
                                     Modified& modified);
  PlanFrame frame_of_where(const Modified& modified, const Body& body, const VariableNames* columns,
                           const PlanFrame& frame) const;
  Result<OperatorPtr> plan_where(const Body& body, bool is_grouped, const PlanFrame& frame);
  bool is_sorted_by_key(const Operator& input, const Modified& modified) const;
  using Binder = std::function<Result<BoundExpression>(const Expression&, const Schema&)>;
  static Result<OperatorPtr> grouped(OperatorPtr input, const Modified& modified, GroupMode mode,
                                     RunState& run, const Binder& bound);
  Result<OperatorPtr> grouped_on_cores(Operator& input, const Modified& modified);
  static Modified regrouped(const Modified& modified, std::deque<Expression>& columns);
  Result<OperatorPtr> plan_groups(OperatorPtr input, const Body& body, Modified& modified,
                                  const PlanFrame& frame);
  Result<OperatorPtr> with_having(OperatorPtr made, const Body& body, const Modified& modified,
                                  const PlanFrame& frame);
  Result<OperatorPtr> with_items(OperatorPtr made, const Modified& modified,
                                 const PlanFrame& frame);
  Result<OperatorPtr> plan_order(OperatorPtr input, const Body& body, const Modified& modified,
                                 bool may_cut, const PlanFrame& frame);
  Result<OperatorPtr> sliced(OperatorPtr input, const Body& body);
  Result<OperatorPtr> plan_select_in(const Select& select, const PlanFrame& frame);
  // Counts that the indexes know, in place of groups; null where they do not.
  Result<OperatorPtr> plan_index_counts(const Body& body, const Modified& modified,
                                        const PlanFrame& frame);
  // SELECT DISTINCT of one variable of one triple; null where the index does not know.
  Result<OperatorPtr> plan_index_values(const Select& select, const PlanFrame& frame);

  // Binds expressions to a schema; EXISTS inside them is planned for the frame's graph.
  Result<BoundExpression> bind(const Expression& expression, const Schema& schema,
                               const PlanFrame& frame);
  Result<std::vector<BoundExpression>> bind_all(const Conditions& expressions, const Schema& schema,
                                                const PlanFrame& frame);
  Result<OperatorPtr> with_filter(OperatorPtr input, const Conditions& conditions,
                                  const PlanFrame& frame);
  // EXISTS or NOT EXISTS that is cheap to ask for many rows at once.
  bool is_semi_join(const Expression& condition, const Schema& schema,
                    const PlanFrame& frame) const;
  Result<OperatorPtr> with_exists(OperatorPtr input, const Expression& condition,
                                  const PlanFrame& frame);
  // Accounts for the operator's batches, and makes the step known.
  Result<OperatorPtr> step(OperatorPtr made, StepText text, StepEstimate estimate,
                           const std::vector<PlanNode*>& inputs);
  Result<void> charge(const Operator& made);
  // No more rows than the frame's goal.
  Result<OperatorPtr> cut_to_goal(OperatorPtr made, const PlanFrame& frame);
  bool is_explained() const { return run_.explain != Explain::None; }
  GraphScope& add_scope(GraphScope scope);

  // The right side for batches of the left, or for each of its rows.
  struct SeededRight {
    const Pattern* pattern;
    BatchJoinKind kind = BatchJoinKind::Inner;
    Conditions conditions;  // of OPTIONAL
    VariableSet wanted;     // variables of the left that the right side looks at
    VariableSet certain;    // those that are bound
  };
  Result<OperatorPtr> join_seeded(OperatorPtr left, const SeededRight& right,
                                  const PlanFrame& frame);
  Result<OperatorPtr> join_row_by_row(OperatorPtr left, const SeededRight& right,
                                      const PlanFrame& frame);

  RunState& run_;
  PlanStorage& storage_;
  const DatasetView& dataset_;
  bool has_named_graphs_;  // the data has, whatever the query sees of them
};

// True when running the pattern with the variables of `seed` already bound gives just the solutions
// that are compatible with them, so that it may be joined row by row.
bool is_bindable(const Pattern& pattern, const VariableSet& seed);
// Conditions that are asked apart: A AND B holds where both do.
std::vector<const Expression*> split_conditions(const std::vector<Expression>& conditions);
// A hash join of these.
StepEstimate hash_estimate(const std::vector<PlanNode*>& inputs);
// EXISTS or NOT EXISTS as a whole.
bool is_exists(const Expression& condition);
// True when a variable that is bound already leads into the pattern.
bool is_connected(const Pattern& pattern, const VariableSet& bound);
// True when the expression gives the same for the same solution whenever it is asked, and runs no
// pattern: no EXISTS, RAND, UUID, STRUUID or BNODE in it.
bool is_repeatable(const Expression& expression);

}  // namespace helve::sparql
