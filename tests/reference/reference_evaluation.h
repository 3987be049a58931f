// Evaluation: the state of one evaluation by the reference. Patterns are in
// reference_patterns.cc, what follows WHERE in reference_modifiers.cc.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "sources/sparql/engine/accumulator.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/sort_key.h"
#include "sources/sparql/engine/term_table.h"
#include "tests/reference/reference.h"
#include "tests/reference/reference_path.h"
#include "tests/reference/solution.h"
#include "tests/reference/triple_list.h"

namespace helve::reference {

// Where a pattern is evaluated: the active graph, and the terms that EXISTS puts in place of
// variables. Expressions see them too; sub-queries see the graph alone.
struct Place {
  const TripleList* graph = nullptr;
  Solution given;
};

// Solutions in the order of ORDER BY, and how many are equal to it each time.
struct OrderedSolutions {
  Solutions rows;
  std::vector<std::size_t> ties;  // sizes of the runs of rows that ORDER BY does not tell apart
  std::size_t first = 0;          // after OFFSET
  std::size_t last = 0;           // after LIMIT
  bool is_ordered = false;

  // A different choice among equals would be a different multiset.
  bool is_ambiguous() const;
};

class Evaluation {
 public:
  Evaluation(const sparql::Query& query, const std::shared_ptr<const sparql::Snapshot>& snapshot,
             const ReferenceOptions& options);

  Result<ReferenceAnswer> answer();

 private:
  class Probe;
  struct Bound {
    std::vector<std::size_t> variables;  // by column
    sparql::BoundExpression expression;
  };
  struct Rewritten;  // a body whose aggregates are variables

  // Patterns.
  Result<Solutions> solutions(const sparql::Pattern& pattern, const Place& place);
  Result<Solutions> of(const sparql::BasicGraphPattern& node, const Place& place);
  Result<Solutions> of(const sparql::Join& node, const Place& place);
  Result<Solutions> of(const sparql::LeftJoin& node, const Place& place);
  Result<Solutions> of(const sparql::Union& node, const Place& place);
  Result<Solutions> of(const sparql::Minus& node, const Place& place);
  Result<Solutions> of(const sparql::Filter& node, const Place& place);
  Result<Solutions> of(const sparql::Extend& node, const Place& place);
  Result<Solutions> of(const sparql::Values& node, const Place& place);
  Result<Solutions> of(const sparql::Graph& node, const Place& place);
  Result<Solutions> of(const sparql::Service& node, const Place& place);
  Result<Solutions> of(const sparql::SubSelect& node, const Place& place);
  Result<Solutions> join(const Solutions& left, const Solutions& right);
  Solutions with_given(Solutions found, const sparql::Pattern& pattern, const Place& place);
  Result<Solutions> add_triple(const sparql::TriplePattern& triple, const Solutions& left,
                               const Place& place);
  Result<Solutions> path_solutions(const sparql::TriplePattern& triple, const sparql::Path& path,
                                   const Place& place);

  // What follows WHERE.
  Result<OrderedSolutions> of_select(const sparql::Select& select, const Place& place);
  Result<OrderedSolutions> of_body(const sparql::Body& body,
                                   const std::vector<sparql::SelectItem>& items,
                                   const std::optional<std::vector<std::string>>& projection,
                                   sparql::Duplicates duplicates, const Place& place);
  const Rewritten& rewritten(const sparql::Body& body,
                             const std::vector<sparql::SelectItem>& items);
  Result<Solutions> grouped(Solutions input, const sparql::Body& body, const Rewritten& rewritten,
                            const Place& place);
  Result<Solution> aggregated(const Solutions& group, const Rewritten& rewritten,
                              const Place& place);
  Result<OrderedSolutions> ordered(Solutions input, const std::vector<sparql::OrderKey>& keys,
                                   const Place& place);

  // Expressions.
  Result<sparql::Value> value(const sparql::Expression& expression, const Solution& solution,
                              const Place& place);
  Result<Id> id_of(const sparql::Expression& expression, const Solution& solution,
                   const Place& place);
  Result<bool> are_true(const std::vector<sparql::Expression>& conditions, const Solution& solution,
                        const Place& place);
  Result<const Bound*> bound(const sparql::Expression& expression);

  Result<Id> id_of(const rdf::Term& term);
  Result<Id> id_of(const sparql::Value& value);
  // Appends; LimitExceeded where there are too many rows already.
  Result<void> keep(Solution solution, Solutions& rows) const;
  Result<void> keep_all(const Solutions& more, Solutions& rows) const;
  // The number of the variable or blank node; nullopt for a constant.
  std::optional<std::size_t> variable_of(const sparql::TermPattern& term);
  Result<Row> row_of(const Solution& solution, const std::vector<std::string>& names);
  Result<ReferenceAnswer> graph_answer(const sparql::Construct& construct,
                                       const OrderedSolutions& found);

  sparql::Query query_;
  MemoryBudget memory_;
  OpContext context_;
  sparql::TermTable terms_;
  sparql::EvaluationContext expressions_;
  ReferenceDataset dataset_;
  Steps steps_;
  Steps bytes_;  // of texts
  std::size_t rows_max_;
  Variables variables_;
  std::map<const sparql::Expression*, Bound> bound_;
  std::map<const sparql::Body*, std::unique_ptr<Rewritten>> rewritten_;
  const Place* place_ = nullptr;  // of the expression being evaluated: what EXISTS looks into
};

}  // namespace helve::reference
