// Planner: joins. The triples, paths and other parts of a group are put into an order by cost; what
// becomes of them then is in join_steps.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/estimates.h"
#include "sources/sparql/engine/join_planner.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/step_costs.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

void add_name(std::vector<std::string>& names, std::optional<std::string> name) {
  if (!name || std::find(names.begin(), names.end(), *name) != names.end()) return;
  names.push_back(*std::move(name));
}

}  // namespace

JoinPlanner::JoinPlanner(Planner& planner, const PlanFrame& frame,
                         const Planner::Conditions& conditions)
    : planner_(planner),
      frame_(frame),
      estimates_(planner.run_, *frame.scope),
      certain_(frame.certain) {
  for (const Expression* condition : conditions) {
    const bool must_wait = !is_repeatable(*condition) && !is_exists(*condition);
    conditions_.push_back({condition, mentioned_variables(*condition), must_wait});
  }
}

Result<OperatorPtr> JoinPlanner::plan(const std::vector<const Pattern*>& parts) {
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
  const PlanFrame here = frame_here(steps_.size(), true);
  made_->set_sorted_by(sorted_by_);
  HELVE_ASSIGN(made_, planner_.with_filter(std::move(made_), rest, here));
  made_->set_sorted_by(std::move(sorted_by_));
  return std::move(made_);
}

void JoinPlanner::add_part(const Pattern& part) {
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

void JoinPlanner::add_triple(const TriplePattern& triple) {
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

const TriplePattern& JoinPlanner::make_triple(const TermPattern& subject, const Path& path,
                                              const TermPattern& object, SourceSpan span) const {
  PredicatePattern predicate = path;
  if (path.kind == Path::Kind::Iri) {
    predicate = Constant{rdf::Term(rdf::TermView::iri(path.iri)), path.span};
  }
  return storage().triples.emplace_back(TriplePattern{subject, std::move(predicate), object, span});
}

void JoinPlanner::add_sequence(const TriplePattern& triple, const Path& path) {
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

void JoinPlanner::add_alternatives(const TriplePattern& triple, const Path& path) {
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

void JoinPlanner::add_item(const TriplePattern& triple) {
  Item item;
  item.triple = &triple;
  add_name(item.variables, column_name(triple.subject));
  add_name(item.variables, column_name(triple.predicate));
  add_name(item.variables, column_name(triple.object));
  item.slots = estimates_.slots_of(triple);
  items_.push_back(std::move(item));
}

void JoinPlanner::forget_inner(Condition& condition,
                               const std::vector<const Pattern*>& parts) const {
  if (!is_exists(*condition.expression)) return;
  VariableSet outer(frame_.seed->schema.names().begin(), frame_.seed->schema.names().end());
  for (const Pattern* part : parts) {
    for (std::string& name : variables_in_scope(*part)) outer.insert(std::move(name));
  }
  std::erase_if(condition.mentioned,
                [&](const std::string& name) { return !outer.contains(name); });
}

void JoinPlanner::note_last_uses() {
  if (frame_.needed == nullptr) return;
  for (const Item& item : items_) {
    const auto names = item.pattern != nullptr ? all_variables(*item.pattern) : item.variables;
    for (const std::string& name : names) ++uses_[name];
  }
  for (const Condition& condition : conditions_) {
    for (const std::string& name : condition.mentioned) ++uses_[name];
  }
}

std::vector<std::string> JoinPlanner::all_variables(const Pattern& pattern) {
  VariableSet names;
  for (std::string& name : variables_in_scope(pattern)) names.insert(std::move(name));
  for_each_expression(
      pattern, [&](const Expression& expression) { names.merge(mentioned_variables(expression)); });
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

std::shared_ptr<const VariableSet> JoinPlanner::kept_of(
    const std::vector<std::string>& names, const std::vector<std::string>& more) const {
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

// Only its own variables can have lost their last use.
std::shared_ptr<const VariableSet> JoinPlanner::kept_after(const Item& item) const {
  const bool drops = std::any_of(item.variables.begin(), item.variables.end(),
                                 [this](const std::string& name) { return !is_needed(name); });
  if (!drops) return nullptr;
  return kept_of(made_ != nullptr ? made_->schema().names() : std::vector<std::string>(),
                 item.variables);
}

PlanFrame JoinPlanner::frame_here(std::size_t step, bool is_last) const {
  PlanFrame frame = frame_;
  frame.certain = certain_;
  if (is_last || made_ == nullptr || step > steps_.size()) return frame;
  frame.needed = kept_of(made_->schema().names(), {});
  return frame;
}

Result<std::vector<OrderStep>> JoinPlanner::find_order() {
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
  problem.fanout = [this](std::size_t item, std::size_t given) { return fanout(item, given); };
  return has_pass(Pass::OrderJoins) ? order_by_cost(problem) : order_as_written(problem);
}

const TriplePattern* JoinPlanner::binder(const Condition& condition) const {
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

// A service is asked for what goes with rows that are few enough to be sent along; otherwise when
// it is cheapest, for all it has.
bool JoinPlanner::is_asked_with_bindings(const Item& item) const {
  if (item.pattern == nullptr || item.pattern->if_is<Service>() == nullptr) return false;
  constexpr double kSentMax = 10'000;
  const VariableNames names = variables_in_scope(*item.pattern->if_is<Service>()->inner);
  return std::any_of(items_.begin(), items_.end(), [&](const Item& other) {
    return other.slots && estimates_.rows(*other.triple) <= kSentMax &&
           std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             return std::find(other.variables.begin(), other.variables.end(), name) !=
                    other.variables.end();
           });
  });
}

double JoinPlanner::fanout(std::size_t index, std::size_t given) const {
  const Item& item = items_[index];
  const Item& from = items_[given];
  if (item.triple != nullptr && from.triple != nullptr) {
    return estimates_.fanout(*item.triple, *from.triple);
  }
  if (item.triple == nullptr) return std::sqrt(estimates_.rows(*item.pattern));
  return estimates_.fanout(*item.triple, VariableSet(from.variables.begin(), from.variables.end()));
}

OrderItem JoinPlanner::order_item(const Item& item, const NumberOf& number_of) const {
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
    known.probe_cost = kSeededRunCost;
  } else {
    known.once_cost = known.rows * (kPatternCost + kHashCost);
    known.probe_cost = kHashCost;
  }
  known.comes_last = needs_endpoint(item) || is_asked_with_bindings(item);
  return known;
}

Result<OperatorPtr> Planner::plan_join(const std::vector<const Pattern*>& parts,
                                       const Conditions& conditions, const PlanFrame& frame) {
  return JoinPlanner(*this, frame, conditions).plan(parts);
}

}  // namespace helve::sparql
