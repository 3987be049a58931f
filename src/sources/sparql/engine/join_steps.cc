// Planner: the steps of a join. Each part becomes the operator that suits it and what is bound
// already. Which comes when is decided in plan_joins.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/executor.h"
#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/filter_rows.h"
#include "sources/sparql/engine/index_join.h"
#include "sources/sparql/engine/join_planner.h"
#include "sources/sparql/engine/parallel.h"
#include "sources/sparql/engine/path_join.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/service_join.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

bool have_different_variables(const PatternSlots& slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (std::size_t j = i + 1; j < slots.size(); ++j) {
      if (slots[i].is_variable() && slots[i].variable == slots[j].variable) return false;
    }
  }
  return true;
}

// The order that has the bound parts first and then the variable's.
std::optional<Order> order_for(const PatternSlots& slots, const std::string& variable) {
  constexpr std::array<std::array<std::size_t, 3>, 6> kParts = {
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (std::size_t order = 0; order < kParts.size(); ++order) {
    std::size_t depth = 0;
    while (depth < 3 && !slots[kParts[order][depth]].is_variable()) ++depth;
    const auto is_variable = [&](std::size_t part) { return slots[part].is_variable(); };
    const bool has_constants_first =
        std::all_of(kParts[order].begin() + static_cast<std::ptrdiff_t>(depth), kParts[order].end(),
                    is_variable);
    if (depth < 3 && has_constants_first && slots[kParts[order][depth]].variable == variable) {
      return static_cast<Order>(order);
    }
  }
  return std::nullopt;
}

std::string_view order_name(Order order) {
  constexpr std::array<std::string_view, 9> kNames = {"spo", "sop",  "pso",  "pos", "osp",
                                                      "ops", "gspo", "gpos", "gosp"};
  return kNames[static_cast<std::size_t>(order)];
}

}  // namespace

Result<void> JoinPlanner::begin() {
  is_copyable_ = false;
  HELVE_ASSIGN(made_, planner_.plan_seed(frame_));
  sorted_by_ = frame_.seed->sorted_by;
  return {};
}

// Nodes between the steps of a path have labels that cannot be written.
std::string JoinPlanner::text_of(const TriplePattern& triple) const {
  if (!planner_.is_explained()) return {};
  TriplePattern shown = triple;
  for (TermPattern* term : {&shown.subject, &shown.object}) {
    auto* const blank = std::get_if<BlankNode>(term);
    if (blank != nullptr) std::erase(blank->label, ' ');
  }
  return to_sparql(shown);
}

bool JoinPlanner::has_variable_key(const Item& item) const {
  return std::any_of(item.variables.begin(), item.variables.end(),
                     [&](const std::string& name) { return certain_.contains(name); });
}

Result<void> JoinPlanner::apply() {
  const std::size_t first = at_;
  const Item& item = item_at(at_);
  drop_uses(item.pattern != nullptr ? all_variables(*item.pattern) : item.variables);
  if (item.pattern != nullptr) {
    HELVE_TRY(apply_pattern(item));
  } else if (can_be_batched(item)) {
    HELVE_TRY(apply_batched(item));
  } else {
    HELVE_TRY(apply_triple(*item.triple));
  }
  for (std::size_t step = first; step <= at_; ++step) {
    certain_.insert(item_at(step).variables.begin(), item_at(step).variables.end());
  }
  return {};
}

bool JoinPlanner::can_be_batched(const Item& item) const {
  if (!item.slots || !has_pass(Pass::BatchJoins) || !is_one_graph(*frame_.scope)) return false;
  if (!have_different_variables(*item.slots)) return false;
  const Schema& schema = made_ != nullptr ? made_->schema() : frame_.seed->schema;
  return std::all_of(item.variables.begin(), item.variables.end(), [&](const std::string& name) {
    return certain_.contains(name) || !schema.find(name);
  });
}

Result<void> JoinPlanner::apply_batched(const Item& item) {
  if (made_ == nullptr && frame_.seed->schema.size() == 0) {
    if (const auto variable = meeting_variable()) {
      HELVE_TRY(begin());
      HELVE_ASSIGN(const bool is_done, apply_leapfrog(*variable));
      if (is_done) return {};
      made_.reset();
      is_copyable_ = true;
    }
    return apply_scan(item);
  }
  if (made_ == nullptr) HELVE_TRY(begin());
  if (const auto variable = meeting_variable()) {
    HELVE_ASSIGN(const bool is_done, apply_leapfrog(*variable));
    if (is_done) return {};
  }
  const Schema& schema = made_->schema();
  std::vector<std::string> keys;
  for (const PatternSlot& slot : *item.slots) {
    if (slot.is_variable() && schema.find(slot.variable)) keys.push_back(slot.variable);
  }
  const auto kept = kept_after(item);
  const bool has_constant =
      std::any_of(item.slots->begin(), item.slots->end(),
                  [](const PatternSlot& slot) { return !slot.is_variable(); });
  IndexJoinOptions options;
  options.kept = kept.get();
  options.is_ascending = keys.size() == 1 && keys.front() == sorted_by_ && has_constant;
  const bool is_wanted =
      std::any_of(item.variables.begin(), item.variables.end(),
                  [&](const std::string& name) { return !schema.find(name) && is_needed(name); });
  if (frame_.is_existence && at_ + 1 == steps_.size() && !is_wanted) {
    options.kind = LookupKind::First;
  }
  PlanNode* const below = made_->plan_node();
  StepText text{options.is_ascending ? "merge join" : "index join", text_of(*item.triple), ""};
  if (keys.empty()) text.name = "cartesian join";
  if (planner_.is_explained()) {
    const auto read = looked_up_order(*item.slots, schema, *frame_.scope, options, run().data());
    if (read) text.order = order_name(*read);
  }
  recipes_.emplace_back(
      [slots = *item.slots, scope = frame_.scope, options, kept](
          OperatorPtr input, RunState& own, const ScanPart&) -> Result<OperatorPtr> {
        return make_index_join(std::move(input), slots, *scope, options, own);
      });
  return take(make_index_join(std::move(made_), *item.slots, *frame_.scope, options, run()),
              std::move(text), estimate(), {below});
}

Result<void> JoinPlanner::apply_scan(const Item& item) {
  std::optional<Order> order;
  if (at_ + 1 < steps_.size()) {
    for (const std::string& name : item_at(at_ + 1).variables) {
      if (!order) order = order_for(*item.slots, name);
      if (order) {
        sorted_by_ = name;
        break;
      }
    }
  }
  if (!order) {
    for (const std::string& name : item.variables) {
      order = order_for(*item.slots, name);
      if (!order) continue;
      sorted_by_ = name;
      break;
    }
  }
  const auto kept = kept_after(item);
  if (planner_.has_named_graphs_) {
    // The order of a graph is chosen by the dataset.
    order.reset();
    sorted_by_.clear();
  }
  StepText text{"scan", text_of(*item.triple), ""};
  if (planner_.is_explained()) {
    const auto read = scanned_order(*item.slots, *frame_.scope, order, run().data());
    if (read) text.order = order_name(*read);
  }
  recipes_.emplace_back(
      [slots = *item.slots, scope = frame_.scope, order, kept](
          OperatorPtr, RunState& own, const ScanPart& part) -> Result<OperatorPtr> {
        return make_index_scan(slots, *scope, order, kept.get(), own, &part);
      });
  return take(make_index_scan(*item.slots, *frame_.scope, order, kept.get(), run()),
              std::move(text), estimate(), {});
}

std::optional<std::string> JoinPlanner::meeting_variable() const {
  if (!has_pass(Pass::Leapfrog) || at_ + 1 >= steps_.size()) return std::nullopt;
  const auto free = only_free(item_at(at_));
  if (!free || only_free(item_at(at_ + 1)) != free) return std::nullopt;
  // Where a row becomes few, each of them is rather looked up; long lists of constants are not
  // jumped through again and again.
  const double before = at_ > 0 ? steps_[at_ - 1].rows : 1;
  constexpr double kWorthMeeting = 1;
  const bool is_first = made_ == nullptr;
  const bool has_keys = has_variable_key(item_at(at_)) && has_variable_key(item_at(at_ + 1));
  const bool is_worth = steps_[at_].joined_rows >= kWorthMeeting * before && has_keys;
  return is_first || is_worth ? free : std::nullopt;
}

std::optional<std::string> JoinPlanner::only_free(const Item& item) const {
  if (item.pattern != nullptr || !can_be_batched(item)) return std::nullopt;
  std::optional<std::string> free;
  for (const std::string& name : item.variables) {
    if (certain_.contains(name)) continue;
    if (free) return std::nullopt;
    free = name;
  }
  return free;
}

Result<bool> JoinPlanner::apply_leapfrog(const std::string& variable) {
  std::vector<PatternSlots> patterns;
  std::size_t last = at_;
  std::string text;
  std::vector<std::string> dropped;
  for (; last < steps_.size() && only_free(item_at(last)) == variable; ++last) {
    patterns.push_back(*item_at(last).slots);
    text += (text.empty() ? "" : " . ") + text_of(*item_at(last).triple);
    if (last > at_) {
      const auto& names = item_at(last).variables;
      dropped.insert(dropped.end(), names.begin(), names.end());
    }
  }
  --last;
  drop_uses(dropped);
  const auto kept = kept_of(made_->schema().names(), {variable});
  PlanNode* const below = made_->plan_node();
  OperatorPtr joined =
      make_leapfrog_join(made_, variable, patterns, *frame_.scope, kept.get(), run());
  if (joined == nullptr) {
    for (const std::string& name : dropped) ++uses_[name];
    return false;
  }
  const double before = at_ > 0 ? steps_[at_ - 1].cost : 0;
  const StepEstimate expected{steps_[last].joined_rows, steps_[last].cost - before};
  if (at_ == 0 && frame_.seed->schema.size() == 0) sorted_by_ = variable;
  recipes_.emplace_back(
      [variable, patterns, scope = frame_.scope, kept](OperatorPtr input, RunState& own,
                                                       const ScanPart&) -> Result<OperatorPtr> {
        return make_leapfrog_join(input, variable, patterns, *scope, kept.get(), own);
      });
  at_ = last;
  HELVE_TRY(take(std::move(joined), {"leapfrog join", std::move(text), ""}, expected, {below}));
  return true;
}

bool JoinPlanner::is_worth_copying() const {
  const Executor* const executor = run().op.executor;
  return has_pass(Pass::Parallel) && !frame_.is_cut && !frame_.is_existence &&
         !frame_.is_volatile && is_copyable_ && !recipes_.empty() &&
         frame_.seed->schema.size() == 0 && executor != nullptr &&
         run().data().can_scan_in_parts() && run().explain != Explain::Measured &&
         steps_.back().cost > run().parallel_cost_min;
}

// Speed is no reason to run out of memory: a quarter of what is left, at most.
std::size_t JoinPlanner::affordable_copies() const {
  constexpr std::size_t kStepsMax = 64;
  if (recipes_.size() > kStepsMax) return 0;
  const MemoryBudget& memory = run().memory();
  const std::size_t room =
      (memory.bytes_max() - std::min(memory.bytes_max(), memory.bytes_used())) / 4;
  // Steps in between may be wider than the last one; a full batch is the most that any of them has.
  constexpr std::size_t kBatchBytes = kIdsPerBatch * sizeof(Id);
  const std::size_t waiting = waiting_batches_max(0) * kBatchBytes;
  return room > waiting ? (room - waiting) / ((recipes_.size() + 1) * kBatchBytes) : 0;
}

Result<void> JoinPlanner::copy_for_cores() {
  constexpr double kRowsPerPart = 16'384;
  constexpr double kPartsMin = 24;
  constexpr double kPartsMax = 4'096;
  constexpr std::size_t kCopiesMax = 16;
  const double scanned = std::max(1.0, estimates_.rows(*item_at(0).triple));
  const auto parts = static_cast<std::uint32_t>(
      std::clamp(scanned / kRowsPerPart, std::min(scanned, kPartsMin), kPartsMax));
  std::vector<PipelineCopy> copies(
      std::min({run().op.executor->threads() + 1, kCopiesMax, affordable_copies()}));
  if (copies.size() < 2) return {};
  PlanNode* const below = made_->plan_node();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i] = i > 0 ? make_copy(run()) : make_own_copy(run());
    copies[i].part = std::make_unique<ScanPart>(ScanPart{0, parts});
    HELVE_TRY(run().op.check());
    for (const Recipe& recipe : recipes_) {
      HELVE_ASSIGN(copies[i].root,
                   recipe(std::move(copies[i].root), *copies[i].run, *copies[i].part));
      HELVE_TRY(planner_.charge(*copies[i].root));
    }
  }
  for (std::size_t i = 0; i < waiting_batches_max(copies.size()); ++i) {
    HELVE_TRY(planner_.charge(*copies.front().root));
  }
  std::string detail = cores_text(copies.size());
  const StepEstimate expected{steps_.back().rows, 0};
  return take(make_parallel(std::move(copies), run()), {"parallel", std::move(detail), ""},
              expected, {below});
}

Result<void> JoinPlanner::apply_triple(const TriplePattern& triple) {
  is_copyable_ = false;
  if (made_ == nullptr) HELVE_TRY(begin());
  PlanNode* const below = made_->plan_node();
  OperatorPtr joined;
  StepText text{"row by row index join", text_of(triple), ""};
  if (const auto* path = std::get_if<Path>(&triple.predicate)) {
    text.name = "path join";
    HELVE_ASSIGN(joined, make_path_join(std::move(made_), triple.subject, *path, triple.object,
                                        *frame_.scope, run()));
  } else {
    HELVE_ASSIGN(joined, make_triple_join(std::move(made_), triple, *frame_.scope, run()));
  }
  return take(std::move(joined), std::move(text), estimate(), {below});
}

Result<void> JoinPlanner::apply_pattern(const Item& item) {
  is_copyable_ = false;
  const Pattern& pattern = *item.pattern;
  if (const auto* service = pattern.if_is<Service>()) {
    if (made_ == nullptr) HELVE_TRY(begin());
    PlanNode* const below = made_->plan_node();
    return take(make_service_join(std::move(made_), *service, run()), {"service", "", ""},
                estimate(), {below});
  }
  const PlanFrame inside = with_joined(all_variables(pattern));
  if (made_ == nullptr) {
    HELVE_ASSIGN(made_, planner_.plan(pattern, inside));
    sorted_by_.clear();
    return {};
  }
  const auto& names = made_->schema().names();
  const bool is_connected =
      std::any_of(item.variables.begin(), item.variables.end(),
                  [&](const std::string& name) { return made_->schema().find(name).has_value(); });
  const bool is_seeded = has_pass(Pass::Sideways) && is_connected &&
                         is_bindable(pattern, VariableSet(names.begin(), names.end()));
  sorted_by_.clear();
  if (is_seeded) {
    Planner::SeededRight right{&pattern, BatchJoinKind::Inner, {}, {}, certain_};
    for (const std::string& name : all_variables(pattern)) right.wanted.insert(name);
    PlanFrame around = inside;
    around.certain = certain_;
    HELVE_ASSIGN(made_, has_pass(Pass::BatchJoins)
                            ? planner_.join_seeded(std::move(made_), right, around)
                            : planner_.join_row_by_row(std::move(made_), right, frame_));
    return {};
  }
  HELVE_ASSIGN(OperatorPtr right, planner_.plan(pattern, inside));
  const std::vector<PlanNode*> inputs = {made_->plan_node(), right->plan_node()};
  return take(make_hash_join(JoinKind::Inner, std::move(made_), std::move(right), {},
                             frame_.is_volatile, run()),
              {"hash join", "", ""}, estimate(), inputs);
}

PlanFrame JoinPlanner::with_joined(const VariableNames& in_scope) const {
  PlanFrame inside = frame_;
  if (frame_.needed == nullptr) return inside;
  auto needed = std::make_shared<VariableSet>(*frame_.needed);
  for (const std::string& name : in_scope) {
    if (is_needed(name) || certain_.contains(name) ||
        (made_ != nullptr && made_->schema().find(name))) {
      needed->insert(name);
    }
  }
  // What comes first hands the columns of the seed on.
  const Schema& before = made_ != nullptr ? made_->schema() : frame_.seed->schema;
  for (const std::string& name : before.names()) {
    if (is_needed(name)) needed->insert(name);
  }
  inside.needed = std::move(needed);
  return inside;
}

Result<void> JoinPlanner::apply_conditions(std::size_t step) {
  if (conditions_.empty() || !has_pass(Pass::PushFilters)) return {};
  Planner::Conditions ready;
  std::vector<Condition> rest;
  for (Condition& condition : conditions_) {
    const bool is_ready = !condition.must_wait &&
                          std::includes(certain_.begin(), certain_.end(),
                                        condition.mentioned.begin(), condition.mentioned.end());
    if (is_ready) {
      ready.push_back(condition.expression);
      drop_uses({condition.mentioned.begin(), condition.mentioned.end()});
    } else {
      rest.push_back(std::move(condition));
    }
  }
  conditions_ = std::move(rest);
  if (ready.empty()) return {};
  if (made_ == nullptr) HELVE_TRY(begin());
  PlanNode* const below = made_->plan_node();
  note_filter(ready);
  const PlanFrame here = frame_here(step);  // looks at what is made so far
  made_->set_sorted_by(sorted_by_);
  HELVE_ASSIGN(made_, planner_.with_filter(std::move(made_), ready, here));
  // The order knew what they leave.
  if (below != nullptr && step > 0) made_->plan_node()->estimated_rows = steps_[step - 1].rows;
  return {};
}

void JoinPlanner::note_filter(const Planner::Conditions& conditions) {
  is_copyable_ = is_copyable_ &&
                 std::all_of(conditions.begin(), conditions.end(),
                             [](const Expression* condition) { return is_repeatable(*condition); });
  if (!is_copyable_) return;
  recipes_.emplace_back([conditions](OperatorPtr input, RunState& own,
                                     const ScanPart&) -> Result<OperatorPtr> {
    std::vector<BoundExpression> bound;
    for (const Expression* condition : conditions) {
      HELVE_ASSIGN(BoundExpression one,
                   BoundExpression::bind(*condition, input->schema(), own.expressions, nullptr));
      bound.push_back(std::move(one));
    }
    return make_filter(std::move(input), std::move(bound), own);
  });
}

}  // namespace helve::sparql
