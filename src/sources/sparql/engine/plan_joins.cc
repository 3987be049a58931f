// Planner: joins. The triples, paths and other parts of a group are put into an order by cost, and
// each becomes the operator that suits it.
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
#include "sources/sparql/engine/join_order.h"
#include "sources/sparql/engine/parallel.h"
#include "sources/sparql/engine/path_join.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/service_join.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

// What steps cost, in nanoseconds, roughly.
constexpr double kScanCost = 3;      // a row of an index
constexpr double kLookupCost = 25;   // a key
constexpr double kPathCost = 400;    // an end of a closure
constexpr double kPatternCost = 30;  // a row of another pattern
constexpr double kHashCost = 60;     // a row that is kept
constexpr double kSeedCost = 150;    // a row that another pattern is run for

void add_name(std::vector<std::string>& names, std::optional<std::string> name) {
  if (!name || std::find(names.begin(), names.end(), *name) != names.end()) return;
  names.push_back(*std::move(name));
}

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

std::string_view name_of(Order order) {
  constexpr std::array<std::string_view, 9> kNames = {"spo", "sop",  "pso",  "pos", "osp",
                                                      "ops", "gspo", "gpos", "gosp"};
  return kNames[static_cast<std::size_t>(order)];
}

}  // namespace

// One join being planned.
class JoinPlanner {
 public:
  JoinPlanner(Planner& planner, const PlanFrame& frame, const Planner::Conditions& conditions)
      : planner_(planner),
        frame_(frame),
        estimates_(planner.run_, *frame.scope),
        certain_(frame.certain) {
    for (const Expression* condition : conditions) {
      const bool must_wait = !is_repeatable(*condition) && !is_exists(*condition);
      conditions_.push_back({condition, mentioned_variables(*condition), must_wait});
    }
  }

  Result<OperatorPtr> plan(const std::vector<const Pattern*>& parts) {
    for (const Pattern* part : parts) add_part(*part);
    for (Condition& condition : conditions_) forget_inner(condition, parts);
    if (items_.size() > run().op.limits.query_joins_max) {
      return Error(ErrorCode::LimitExceeded,
                   fmt::format("a group of the query joins more than {} triples and patterns",
                               format_count(run().op.limits.query_joins_max)),
                   "ask in several queries, or give the terms that differ in VALUES");
    }
    note_last_uses();
    HELVE_ASSIGN(steps_, find_order());
    HELVE_TRY(apply_conditions(0));
    for (at_ = 0; at_ < steps_.size(); ++at_) {
      HELVE_TRY(run().op.check());
      HELVE_TRY(apply());
      HELVE_TRY(apply_conditions(at_ + 1));
    }
    if (made_ == nullptr) HELVE_TRY(begin());
    Planner::Conditions rest;
    for (const Condition& condition : conditions_) rest.push_back(condition.expression);
    if (rest.empty() && is_worth_copying()) HELVE_TRY(copy_for_cores());
    HELVE_ASSIGN(made_,
                 planner_.with_filter(std::move(made_), rest, frame_here(steps_.size(), true)));
    made_->set_sorted_by(std::move(sorted_by_));
    return std::move(made_);
  }

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

  RunState& run() const { return planner_.run_; }
  PlanStorage& storage() const { return planner_.storage_; }
  bool has_pass(Pass pass) const { return run().passes.has(pass); }

  void add_part(const Pattern& part) {
    if (const auto* basic = part.if_is<BasicGraphPattern>()) {
      for (const TriplePattern& triple : basic->triples) add_triple(triple);
      return;
    }
    Item item;
    item.pattern = &part;
    const VariableSet variables = certain_variables(part);
    item.variables.assign(variables.begin(), variables.end());
    items_.push_back(std::move(item));
  }

  // Sequences, inverses and alternatives become triples and unions.
  // https://www.w3.org/TR/sparql11-query/#sparqlTranslatePathPatterns
  void add_triple(const TriplePattern& triple) {
    const auto* path = std::get_if<Path>(&triple.predicate);
    if (path == nullptr) return add_item(triple);
    switch (path->kind) {
      case Path::Kind::Iri:
        return add_triple(make_triple(triple.subject, *path, triple.object, triple.span));
      case Path::Kind::Inverse:
        return add_triple(
            make_triple(triple.object, path->parts.front(), triple.subject, triple.span));
      case Path::Kind::Sequence:
        return add_sequence(triple, *path);
      case Path::Kind::Alternative:
        return add_alternatives(triple, *path);
      case Path::Kind::ZeroOrMore:
      case Path::Kind::OneOrMore:
      case Path::Kind::ZeroOrOne:
      case Path::Kind::NegatedSet:
        return add_item(triple);
    }
  }

  const TriplePattern& make_triple(const TermPattern& subject, const Path& path,
                                   const TermPattern& object, SourceSpan span) const {
    PredicatePattern predicate = path;
    if (path.kind == Path::Kind::Iri) {
      predicate = Constant{rdf::Term(rdf::TermView::iri(path.iri)), path.span};
    }
    return storage().triples.emplace_back(
        TriplePattern{subject, std::move(predicate), object, span});
  }

  void add_sequence(const TriplePattern& triple, const Path& path) {
    TermPattern from = triple.subject;
    for (std::size_t i = 0; i < path.parts.size(); ++i) {
      // The space keeps it apart from every label that can be written.
      const std::string label = "path " + std::to_string(storage().triples.size());
      const TermPattern to =
          i + 1 < path.parts.size() ? TermPattern(BlankNode{label, {}}) : triple.object;
      add_triple(make_triple(from, path.parts[i], to, triple.span));
      from = to;
    }
  }

  void add_alternatives(const TriplePattern& triple, const Path& path) {
    Union alternatives;
    for (const Path& part : path.parts) {
      BasicGraphPattern basic;
      basic.triples.push_back(make_triple(triple.subject, part, triple.object, triple.span));
      alternatives.parts.emplace_back(std::move(basic), triple.span);
    }
    Pattern& made = storage().patterns.emplace_back(std::move(alternatives), triple.span);
    add_part(made);
    auto& item = items_.back();
    add_name(item.variables, column_name(triple.subject));
    add_name(item.variables, column_name(triple.object));
  }

  void add_item(const TriplePattern& triple) {
    Item item;
    item.triple = &triple;
    add_name(item.variables, column_name(triple.subject));
    add_name(item.variables, column_name(triple.predicate));
    add_name(item.variables, column_name(triple.object));
    item.slots = estimates_.slots_of(triple);
    items_.push_back(std::move(item));
  }

  // Variables that only the pattern of an EXISTS has are bound by none of the parts.
  void forget_inner(Condition& condition, const std::vector<const Pattern*>& parts) const {
    if (!is_exists(*condition.expression)) return;
    VariableSet outer(frame_.seed->schema.names().begin(), frame_.seed->schema.names().end());
    for (const Pattern* part : parts) {
      for (std::string& name : variables_in_scope(*part)) outer.insert(std::move(name));
    }
    std::erase_if(condition.mentioned,
                  [&](const std::string& name) { return !outer.contains(name); });
  }

  // Which columns may go after which step.
  void note_last_uses() {
    if (frame_.needed == nullptr) return;
    for (const Item& item : items_) {
      const auto names = item.pattern != nullptr ? all_variables(*item.pattern) : item.variables;
      for (const std::string& name : names) ++uses_[name];
    }
    for (const Condition& condition : conditions_) {
      for (const std::string& name : condition.mentioned) ++uses_[name];
    }
  }
  void drop_uses(const std::vector<std::string>& names) {
    if (frame_.needed == nullptr) return;
    for (const std::string& name : names) --uses_[name];
  }
  // Blank nodes included: paths that were taken apart meet in them.
  static std::vector<std::string> all_variables(const Pattern& pattern) {
    VariableSet names;
    for (std::string& name : variables_in_scope(pattern)) names.insert(std::move(name));
    for_each_expression(pattern, [&](const Expression& expression) {
      names.merge(mentioned_variables(expression));
    });
    for_each_pattern(pattern, [&](const Pattern& node) {
      const auto* basic = node.if_is<BasicGraphPattern>();
      if (basic == nullptr) return;
      for (const TriplePattern& triple : basic->triples) {
        for (auto name : {column_name(triple.subject), column_name(triple.object)}) {
          if (name) names.insert(*std::move(name));
        }
      }
    });
    return {names.begin(), names.end()};
  }
  bool is_needed(const std::string& name) const {
    if (frame_.needed == nullptr || frame_.needed->contains(name)) return true;
    const auto found = uses_.find(name);
    return found != uses_.end() && found->second > 0;
  }
  // Of these columns, those that are looked at later. Null where all of them stay.
  std::shared_ptr<const VariableSet> kept_of(const std::vector<std::string>& names,
                                             const std::vector<std::string>& more) const {
    auto kept = std::make_shared<VariableSet>();
    bool drops = false;
    for (const auto* from : {&names, &more}) {
      for (const std::string& name : *from) {
        if (is_needed(name)) {
          kept->insert(name);
        } else {
          drops = true;
        }
      }
    }
    if (!drops) return nullptr;
    return kept;
  }
  // For what stands behind `step`: what is bound there, and which columns must stay.
  PlanFrame frame_here(std::size_t step, bool is_last = false) const {
    PlanFrame frame = frame_;
    frame.certain = certain_;
    if (is_last || made_ == nullptr || step > steps_.size()) return frame;
    frame.needed = kept_of(made_->schema().names(), {});
    return frame;
  }

  Result<std::vector<OrderStep>> find_order() {
    OrderProblem problem;
    std::unordered_map<std::string, std::uint32_t> numbers;
    const auto number_of = [&](const std::string& name) {
      return numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
    };
    VariableSet seeded = frame_.likely;
    seeded.insert(frame_.certain.begin(), frame_.certain.end());
    for (const std::string& name : seeded) number_of(name);
    problem.bound.assign(numbers.size(), true);
    problem.has_seed = frame_.seed->schema.size() > 0;
    for (const Item& item : items_) {
      HELVE_TRY(run().op.check());
      problem.items.push_back(order_item(item, number_of));
    }
    for (const Condition& condition : conditions_) {
      if (condition.must_wait || items_.size() > kPairedMax) continue;
      OrderCondition& known = problem.conditions.emplace_back();
      for (const std::string& name : condition.mentioned) {
        known.variables.push_back(number_of(name));
      }
      known.selectivity = estimates_.selectivity(*condition.expression, binder(condition));
    }
    problem.variables = static_cast<std::uint32_t>(numbers.size());
    fanouts_.assign(items_.size() <= kPairedMax ? items_.size() * items_.size() : 0, -1);
    problem.fanout = [this](std::size_t item, std::size_t given) {
      double& known = fanouts_[item * items_.size() + given];
      if (known < 0) known = fanout(item, given);
      return known;
    };
    return has_pass(Pass::OrderJoins) ? order_by_cost(problem) : order_as_written(problem);
  }

  // The smallest triple that binds the only variable of a condition.
  const TriplePattern* binder(const Condition& condition) const {
    if (condition.mentioned.size() != 1) return nullptr;
    const TriplePattern* best = nullptr;
    double fewest = 0;
    for (const Item& item : items_) {
      if (!item.slots || std::find(item.variables.begin(), item.variables.end(),
                                   *condition.mentioned.begin()) == item.variables.end()) {
        continue;
      }
      const double rows = estimates_.rows(*item.triple);
      if (best != nullptr && rows >= fewest) continue;
      best = item.triple;
      fewest = rows;
    }
    return best;
  }

  double fanout(std::size_t index, std::size_t given) const {
    const Item& item = items_[index];
    const Item& from = items_[given];
    if (item.triple != nullptr && from.triple != nullptr) {
      return estimates_.fanout(*item.triple, *from.triple);
    }
    if (item.triple == nullptr) return std::sqrt(estimates_.rows(*item.pattern));
    return estimates_.fanout(*item.triple,
                             VariableSet(from.variables.begin(), from.variables.end()));
  }

  template <typename NumberOf>
  OrderItem order_item(const Item& item, const NumberOf& number_of) const {
    OrderItem known;
    for (const std::string& name : item.variables) known.variables.push_back(number_of(name));
    if (item.triple != nullptr) {
      known.rows = estimates_.rows(*item.triple);
      for (const std::string& name : item.variables) {
        known.distinct.push_back(estimates_.distinct(*item.triple, name));
      }
      known.first_cost = known.rows * (item.slots ? kScanCost : kPathCost);
      known.probe_cost = item.slots ? kLookupCost : kPathCost;
      return known;
    }
    known.rows = estimates_.rows(*item.pattern);
    known.distinct.assign(item.variables.size(), std::max(1.0, std::sqrt(known.rows)));
    known.first_cost = known.rows * kPatternCost;
    if (is_bindable(*item.pattern, {})) {
      known.probe_cost = kSeedCost;
    } else {
      known.once_cost = known.rows * (kPatternCost + kHashCost);
      known.probe_cost = kHashCost;
    }
    known.comes_last = needs_endpoint(item);
    return known;
  }

  static bool needs_endpoint(const Item& item) {
    const auto* service = item.pattern->if_is<Service>();
    return service != nullptr && std::holds_alternative<Variable>(service->endpoint);
  }

  Result<void> begin() {
    is_copyable_ = false;
    HELVE_ASSIGN(made_, planner_.step(make_seed(*frame_.seed), {"seed", "", ""}, {1, 0}, {}));
    return {};
  }

  StepEstimate estimate() const {
    const double before = at_ > 0 ? steps_[at_ - 1].cost : 0;
    return {steps_[at_].joined_rows, steps_[at_].cost - before};
  }

  const Item& item_at(std::size_t step) const { return items_[steps_[step].item]; }

  Result<void> apply() {
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

  // Variables are bound in every row, or new: what may be either is matched row by row.
  bool can_be_batched(const Item& item) const {
    if (!item.slots || !has_pass(Pass::BatchJoins) || !is_one_graph(*frame_.scope)) return false;
    if (!have_different_variables(*item.slots)) return false;
    const Schema& schema = made_ != nullptr ? made_->schema() : frame_.seed->schema;
    return std::all_of(item.variables.begin(), item.variables.end(), [&](const std::string& name) {
      return certain_.contains(name) || !schema.find(name);
    });
  }

  std::string text_of(const TriplePattern& triple) const {
    return planner_.is_explained() ? to_sparql(triple) : std::string();
  }

  Result<void> apply_batched(const Item& item) {
    if (made_ == nullptr && frame_.seed->schema.size() == 0) {
      if (const auto variable = meeting_variable()) {
        HELVE_TRY(begin());
        HELVE_ASSIGN(const bool is_done, apply_leapfrog(*variable));
        if (is_done) return {};
        made_.reset();
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
    const auto kept = kept_of(schema.names(), item.variables);
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
    recipes_.emplace_back([slots = *item.slots, scope = frame_.scope, options, kept](
                              OperatorPtr input, RunState& own, ScanParts&) -> Result<OperatorPtr> {
      return make_index_join(std::move(input), slots, *scope, options, own);
    });
    return take(make_index_join(std::move(made_), *item.slots, *frame_.scope, options, run()),
                std::move(text), estimate(), {below});
  }

  // The first scan is in the order of the variable by which the next step looks up.
  Result<void> apply_scan(const Item& item) {
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
    const auto kept = kept_of({}, item.variables);
    if (planner_.has_named_graphs_) {
      // The order of a graph is chosen by the dataset.
      order.reset();
      sorted_by_.clear();
    }
    StepText text{"scan", text_of(*item.triple), order ? std::string(name_of(*order)) : ""};
    recipes_.emplace_back([slots = *item.slots, scope = frame_.scope, order, kept](
                              OperatorPtr, RunState& own, ScanParts& parts) -> Result<OperatorPtr> {
      return make_index_scan(slots, *scope, order, kept.get(), own, &parts);
    });
    return take(make_index_scan(*item.slots, *frame_.scope, order, kept.get(), run()),
                std::move(text), estimate(), {});
  }

  // A variable that this step binds and that the next ones, otherwise bound, have too.
  std::optional<std::string> meeting_variable() const {
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
  bool has_variable_key(const Item& item) const {
    return std::any_of(item.variables.begin(), item.variables.end(),
                       [&](const std::string& name) { return certain_.contains(name); });
  }
  std::optional<std::string> only_free(const Item& item) const {
    if (item.pattern != nullptr || !can_be_batched(item)) return std::nullopt;
    std::optional<std::string> free;
    for (const std::string& name : item.variables) {
      if (certain_.contains(name)) continue;
      if (free) return std::nullopt;
      free = name;
    }
    return free;
  }

  Result<bool> apply_leapfrog(const std::string& variable) {
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
    recipes_.emplace_back([variable, patterns, scope = frame_.scope, kept](
                              OperatorPtr input, RunState& own, ScanParts&) -> Result<OperatorPtr> {
      return make_leapfrog_join(input, variable, patterns, *scope, kept.get(), own);
    });
    at_ = last;
    HELVE_TRY(take(std::move(joined), {"leapfrog join", std::move(text), ""}, expected, {below}));
    return true;
  }

  Result<void> take(OperatorPtr made, StepText text, StepEstimate expected,
                    const std::vector<PlanNode*>& inputs) {
    HELVE_ASSIGN(made_, planner_.step(std::move(made), std::move(text), expected, inputs));
    return {};
  }

  // How a step is made once more, for another core.
  using Recipe = std::function<Result<OperatorPtr>(OperatorPtr input, RunState& run, ScanParts&)>;

  bool is_worth_copying() const {
    const Executor* const executor = run().op.executor;
    return has_pass(Pass::Parallel) && frame_.may_shuffle && is_copyable_ && !recipes_.empty() &&
           frame_.seed->schema.size() == 0 && executor != nullptr &&
           run().data().can_scan_in_parts() && run().explain != Explain::Measured &&
           steps_.back().cost > run().parallel_cost_min;
  }

  Result<void> copy_for_cores() {
    constexpr double kRowsPerPart = 4'096;
    constexpr double kPartsMax = 4'096;
    constexpr std::size_t kCopiesMax = 16;
    constexpr std::size_t kBatchesInHand = 20;
    const double scanned = estimates_.rows(*item_at(0).triple);
    auto parts = std::make_unique<ScanParts>(
        static_cast<std::uint32_t>(std::clamp(scanned / kRowsPerPart, 2.0, kPartsMax)));
    std::vector<PipelineCopy> copies(std::min(run().op.executor->threads() + 1, kCopiesMax));
    PlanNode* const below = made_->plan_node();
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (i > 0) copies[i] = make_copy(run());
      RunState& own = i > 0 ? *copies[i].run : run();
      for (const Recipe& recipe : recipes_) {
        HELVE_ASSIGN(copies[i].root, recipe(std::move(copies[i].root), own, *parts));
        HELVE_TRY(planner_.charge(*copies[i].root));
      }
    }
    for (std::size_t i = 0; i < kBatchesInHand; ++i) {
      HELVE_TRY(planner_.charge(*copies.front().root));
    }
    std::string detail = fmt::format("{} cores", copies.size());
    const StepEstimate expected{steps_.back().rows, 0};
    sorted_by_.clear();
    return take(make_parallel(std::move(parts), std::move(copies), run()),
                {"parallel", std::move(detail), ""}, expected, {below});
  }

  Result<void> apply_triple(const TriplePattern& triple) {
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

  Result<void> apply_pattern(const Item& item) {
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
    const bool is_connected = std::any_of(
        item.variables.begin(), item.variables.end(),
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

  // The frame of another pattern of the join: what is looked at later, and what it is joined by.
  PlanFrame with_joined(const VariableNames& in_scope) const {
    PlanFrame inside = frame_;
    if (frame_.needed == nullptr) return inside;
    auto needed = std::make_shared<VariableSet>(*frame_.needed);
    for (const std::string& name : in_scope) {
      if (is_needed(name) || certain_.contains(name) ||
          (made_ != nullptr && made_->schema().find(name))) {
        needed->insert(name);
      }
    }
    if (made_ != nullptr) {
      for (const std::string& name : made_->schema().names()) {
        if (is_needed(name)) needed->insert(name);
      }
    }
    inside.needed = std::move(needed);
    return inside;
  }

  // Those whose variables are all bound can be asked now.
  Result<void> apply_conditions(std::size_t step) {
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
    HELVE_ASSIGN(made_, planner_.with_filter(std::move(made_), ready, frame_here(step)));
    // The order knew what they leave.
    if (below != nullptr && step > 0) made_->plan_node()->estimated_rows = steps_[step - 1].rows;
    return {};
  }

  void note_filter(const Planner::Conditions& conditions) {
    is_copyable_ = is_copyable_ && std::all_of(conditions.begin(), conditions.end(),
                                               [](const Expression* condition) {
                                                 return is_repeatable(*condition);
                                               });
    if (!is_copyable_) return;
    recipes_.emplace_back([conditions](OperatorPtr input, RunState& own,
                                       ScanParts&) -> Result<OperatorPtr> {
      std::vector<BoundExpression> bound;
      for (const Expression* condition : conditions) {
        HELVE_ASSIGN(BoundExpression one,
                     BoundExpression::bind(*condition, input->schema(), own.expressions, nullptr));
        bound.push_back(std::move(one));
      }
      return make_filter(std::move(input), std::move(bound), own);
    });
  }

  Planner& planner_;
  const PlanFrame& frame_;
  Estimator estimates_;
  std::vector<Condition> conditions_;
  VariableSet certain_;
  std::deque<Item> items_;
  std::vector<OrderStep> steps_;
  std::vector<double> fanouts_;                // by item and given item; negative: not asked yet
  std::unordered_map<std::string, int> uses_;  // by later steps and conditions
  std::size_t at_ = 0;
  OperatorPtr made_;
  std::vector<Recipe> recipes_;
  bool is_copyable_ = true;  // recipes_ make all steps again
  std::string sorted_by_;    // the rows ascend by this variable; empty: unknown
};

Result<OperatorPtr> Planner::plan_join(const std::vector<const Pattern*>& parts,
                                       const Conditions& conditions, const PlanFrame& frame) {
  return JoinPlanner(*this, frame, conditions).plan(parts);
}

}  // namespace helve::sparql
