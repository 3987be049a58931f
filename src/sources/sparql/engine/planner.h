// Planner: patterns to operators, in a sensible order but without a search for the best one. Every
// choice keeps the bottom-up meaning of the algebra.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

using VariableSet = std::set<std::string>;

// What a plan refers to. Outlives its operators.
struct PlanStorage {
  std::deque<GraphScope> scopes;
  std::deque<SeedRow> seeds;
  std::deque<Pattern> patterns;       // made from paths
  std::deque<TriplePattern> triples;  // made from paths
};

// Which graphs a query sees.
struct DatasetView {
  GraphScope default_graph;
  std::vector<Id> named;  // ascending
};

// Where a pattern stands.
struct PlanFrame {
  const SeedRow* seed = nullptr;  // never null once planning
  GraphScope* scope = nullptr;    // never null once planning
  VariableSet certain;            // variables of the seed that are bound
  VariableSet likely;             // and those that may be: for choosing an order only
  bool is_volatile = false;       // the seed or the graph changes between restarts
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

  PlanFrame outer_frame();
  Result<OperatorPtr> plan(const Pattern& pattern, const PlanFrame& frame);
  Result<OperatorPtr> plan_node(const Pattern& pattern, const PlanFrame& frame);
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
                                const std::vector<const Expression*>& conditions,
                                const PlanFrame& frame);

  struct Modified;  // plan_modifiers.cc
  Result<OperatorPtr> plan_solutions(const Body& body, const std::vector<SelectItem>& items,
                                     const PlanFrame& frame, Modified& modified);
  Result<OperatorPtr> plan_where(const Body& body, bool is_grouped, const PlanFrame& frame);
  Result<OperatorPtr> plan_groups(OperatorPtr input, const Body& body, Modified& modified,
                                  const PlanFrame& frame);
  Result<OperatorPtr> plan_order(OperatorPtr input, const Body& body, const Modified& modified,
                                 bool may_cut, const PlanFrame& frame);
  Result<OperatorPtr> plan_select_in(const Select& select, const PlanFrame& frame);

  // Binds expressions to a schema; EXISTS inside them is planned for the frame's graph.
  Result<BoundExpression> bind(const Expression& expression, const Schema& schema,
                               const PlanFrame& frame);
  Result<std::vector<BoundExpression>> bind_all(const std::vector<const Expression*>& expressions,
                                                const Schema& schema, const PlanFrame& frame);
  Result<OperatorPtr> with_filter(OperatorPtr input,
                                  const std::vector<const Expression*>& conditions,
                                  const PlanFrame& frame);
  // Accounts for the operator's batches.
  Result<OperatorPtr> charged(OperatorPtr made);
  GraphScope& add_scope(GraphScope scope);
  // The right side for each row of the left, where index look-ups make that cheap.
  Result<OperatorPtr> join_seeded(JoinKind kind, OperatorPtr left, const Pattern& right,
                                  const std::vector<const Expression*>& conditions,
                                  VariableSet certain, VariableSet likely, const PlanFrame& frame);

  RunState& run_;
  PlanStorage& storage_;
  const DatasetView& dataset_;
};

// True when running the pattern with some variables already bound gives just the solutions that
// are compatible with them, so that it may be joined row by row.
bool is_bindable(const Pattern& pattern);
// True when a variable that is bound already leads into the pattern.
bool is_connected(const Pattern& pattern, const VariableSet& bound);
// True when the expression gives the same for the same solution whenever it is asked, and runs no
// pattern: no EXISTS, RAND, UUID, STRUUID or BNODE in it.
bool is_repeatable(const Expression& expression);

}  // namespace helve::sparql
