// JoinPlanner: one join being planned: its parts in the order that costs least, each as the
// operator that suits it. The order is found in plan_joins.cc, the operators are made in
// join_steps.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/index_scan.h"
#include "sources/sparql/engine/join_order.h"
#include "sources/sparql/engine/planner.h"

namespace helve::sparql {

class JoinPlanner {
 public:
  JoinPlanner(Planner& planner, const PlanFrame& frame, const Planner::Conditions& conditions);

  Result<OperatorPtr> plan(const std::vector<const Pattern*>& parts);

 private:
  // A triple (perhaps with a closure as predicate), or any other pattern.
  struct Item {
    const TriplePattern* triple = nullptr;
    const Pattern* pattern = nullptr;
    std::vector<std::string> variables;  // bound in every solution of it
    std::optional<PatternSlots> slots;   // of a triple that is no path
  };
  struct Condition {
    const Expression* expression;
    VariableSet mentioned;
    bool must_wait;  // it runs patterns of its own or gives another value each time
  };

  using NumberOf = std::function<std::uint32_t(const std::string& name)>;

  RunState& run() const { return planner_.run_; }
  PlanStorage& storage() const { return planner_.storage_; }
  bool has_pass(Pass pass) const { return run().passes.has(pass); }

  void add_part(const Pattern& part);

  // Sequences, inverses and alternatives become triples and unions.
  // https://www.w3.org/TR/sparql11-query/#sparqlTranslatePathPatterns
  void add_triple(const TriplePattern& triple);

  const TriplePattern& make_triple(const TermPattern& subject, const Path& path,
                                   const TermPattern& object, SourceSpan span) const;
  void add_sequence(const TriplePattern& triple, const Path& path);
  void add_alternatives(const TriplePattern& triple, const Path& path);
  void add_item(const TriplePattern& triple);

  // Variables that only the pattern of an EXISTS has are bound by none of the parts.
  void forget_inner(Condition& condition, const std::vector<const Pattern*>& parts) const;

  // Which columns may go after which step.
  void note_last_uses();
  void drop_uses(const std::vector<std::string>& names) {
    if (frame_.needed == nullptr) return;
    for (const std::string& name : names) --uses_[name];
  }
  // Blank nodes included: paths that were taken apart meet in them.
  static std::vector<std::string> all_variables(const Pattern& pattern);
  bool is_needed(const std::string& name) const {
    if (frame_.needed == nullptr || frame_.needed->contains(name)) return true;
    const auto found = uses_.find(name);
    return found != uses_.end() && found->second > 0;
  }
  // Of these columns, those that are looked at later. Null where all of them stay.
  std::shared_ptr<const VariableSet> kept_of(const std::vector<std::string>& names,
                                             const std::vector<std::string>& more) const;
  std::shared_ptr<const VariableSet> kept_after(const Item& item) const;
  // For what stands behind `step`: what is bound there, and which columns must stay.
  PlanFrame frame_here(std::size_t step, bool is_last = false) const;

  Result<std::vector<OrderStep>> find_order();

  // The smallest triple that binds the only variable of a condition.
  const TriplePattern* binder(const Condition& condition) const;
  double fanout(std::size_t index, std::size_t given) const;
  OrderItem order_item(const Item& item, const NumberOf& number_of) const;

  static bool needs_endpoint(const Item& item) {
    const auto* service = item.pattern->if_is<Service>();
    return service != nullptr && std::holds_alternative<Variable>(service->endpoint);
  }

  bool is_asked_with_bindings(const Item& item) const;

  Result<void> begin();

  StepEstimate estimate() const {
    const double before = at_ > 0 ? steps_[at_ - 1].cost : 0;
    return {steps_[at_].joined_rows, steps_[at_].cost - before};
  }

  const Item& item_at(std::size_t step) const { return items_[steps_[step].item]; }

  Result<void> apply();

  // Variables are bound in every row, or new: what may be either is matched row by row.
  bool can_be_batched(const Item& item) const;

  std::string text_of(const TriplePattern& triple) const;

  Result<void> apply_batched(const Item& item);

  // The first scan is in the order of the variable by which the next step looks up.
  Result<void> apply_scan(const Item& item);

  // A variable that this step binds and that the next ones, otherwise bound, have too.
  std::optional<std::string> meeting_variable() const;
  bool has_variable_key(const Item& item) const;
  std::optional<std::string> only_free(const Item& item) const;

  Result<bool> apply_leapfrog(const std::string& variable);

  Result<void> take(OperatorPtr made, StepText text, StepEstimate expected,
                    const std::vector<PlanNode*>& inputs) {
    HELVE_ASSIGN(made_, planner_.step(std::move(made), std::move(text), expected, inputs));
    return {};
  }

  // How a step is made once more, for another core.
  using Recipe =
      std::function<Result<OperatorPtr>(OperatorPtr input, RunState& run, const ScanPart& part)>;

  bool is_worth_copying() const;

  std::size_t affordable_copies() const;
  Result<void> copy_for_cores();

  Result<void> apply_triple(const TriplePattern& triple);

  Result<void> apply_pattern(const Item& item);

  // The frame of another pattern of the join: what is looked at later, and what it is joined by.
  PlanFrame with_joined(const VariableNames& in_scope) const;

  // Those whose variables are all bound can be asked now.
  Result<void> apply_conditions(std::size_t step);

  void note_filter(const Planner::Conditions& conditions);

  Planner& planner_;
  const PlanFrame& frame_;
  Estimator estimates_;
  std::vector<Condition> conditions_;
  VariableSet certain_;
  std::deque<Item> items_;
  std::vector<OrderStep> steps_;
  std::unordered_map<std::string, int> uses_;  // by later steps and conditions
  std::size_t at_ = 0;
  OperatorPtr made_;
  std::vector<Recipe> recipes_;
  bool is_copyable_ = true;  // recipes_ make all steps again
  std::string sorted_by_;    // the rows ascend by this variable; empty: unknown
};

}  // namespace helve::sparql
