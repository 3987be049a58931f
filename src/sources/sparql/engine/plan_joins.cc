// Planner: joins. The triples, paths and other parts of a group are put into an order, each step
// the cheapest that is connected with what is bound already, from the dataset's own counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/path_join.h"
#include "sources/sparql/engine/planner.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/service_join.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

void add_name(std::vector<std::string>& names, std::optional<std::string> name) {
  if (name) names.push_back(*std::move(name));
}

bool has_any(const VariableSet& bound, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return bound.contains(name); });
}

}  // namespace

// One join being planned.
class JoinPlanner {
 public:
  JoinPlanner(Planner& planner, const PlanFrame& frame,
              const std::vector<const Expression*>& conditions)
      : planner_(planner), frame_(frame), certain_(frame.certain), bound_(frame.likely) {
    bound_.insert(certain_.begin(), certain_.end());
    for (const Expression* condition : conditions) {
      conditions_.push_back(
          {condition, mentioned_variables(*condition), is_repeatable(*condition)});
    }
  }

  Result<OperatorPtr> plan(const std::vector<const Pattern*>& parts) {
    for (const Pattern* part : parts) add_part(*part);
    if (items_.size() > run().op.limits.query_joins_max) {
      return Error(ErrorCode::LimitExceeded,
                   fmt::format("a group of the query joins more than {} triples and patterns",
                               format_count(run().op.limits.query_joins_max)),
                   "ask in several queries, or give the terms that differ in VALUES");
    }
    for (Item& item : items_) {
      assess(item);
      for (const std::string& name : item.variables) {
        if (!bound_.contains(name)) waiting_for_[name].push_back(&item);
      }
    }
    made_ = make_seed(*frame_.seed);
    HELVE_TRY(apply_conditions());
    for (std::size_t left = items_.size(); left > 0; --left) {
      HELVE_TRY(run().op.check());
      Item& item = *choose();
      item.is_done = true;
      HELVE_TRY(apply(item));
      HELVE_TRY(apply_conditions());
    }
    std::vector<const Expression*> rest;
    for (const Condition& condition : conditions_) rest.push_back(condition.expression);
    return planner_.with_filter(std::move(made_), rest, frame_);
  }

 private:
  // A triple (perhaps with a closure as predicate), or any other pattern.
  struct Item {
    const TriplePattern* triple = nullptr;
    const Pattern* pattern = nullptr;
    std::vector<std::string> variables;  // bound in every solution of it
    double rows = 0;                     // that it has by itself
    // With what is bound now:
    double cost = 0;
    bool is_connected = false;
    bool is_done = false;
  };
  struct Condition {
    const Expression* expression;
    VariableSet mentioned;
    bool may_come_early;  // it runs no patterns of its own and gives the same each time
  };

  RunState& run() const { return planner_.run_; }
  PlanStorage& storage() const { return planner_.storage_; }

  void add_part(const Pattern& part) {
    if (const auto* basic = part.if_is<BasicGraphPattern>()) {
      for (const TriplePattern& triple : basic->triples) add_triple(triple);
      return;
    }
    Item item;
    item.pattern = &part;
    const VariableSet variables = certain_variables(part);
    item.variables.assign(variables.begin(), variables.end());
    item.rows = estimate(part);
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
    item.rows = fanout(triple, {});
    items_.push_back(std::move(item));
  }

  Id constant_id(const TermPattern& term) const {
    const auto* constant = std::get_if<Constant>(&term);
    if (constant == nullptr) return {};
    return run().terms.find(constant->term.view()).value_or(Id(rdf::Tag::Local, 0));
  }
  Id constant_id(const PredicatePattern& term) const {
    const auto* constant = std::get_if<Constant>(&term);
    if (constant == nullptr) return {};
    return run().terms.find(constant->term.view()).value_or(Id(rdf::Tag::Local, 0));
  }

  double all_triples() const { return std::max(1.0, static_cast<double>(run().data().triples())); }

  // How many rows a row becomes, when these variables are bound.
  double fanout(const TriplePattern& triple, const VariableSet& bound) const {
    const auto is_bound = [&](const std::optional<std::string>& name) {
      return name && bound.contains(*name);
    };
    const bool has_subject = is_bound(column_name(triple.subject));
    const bool has_object = is_bound(column_name(triple.object));
    if (std::holds_alternative<Path>(triple.predicate)) {
      return path_fanout(triple, has_subject, has_object);
    }
    const Id predicate = constant_id(triple.predicate);
    double rows =
        static_cast<double>(count_triples(run().data(), *frame_.scope, constant_id(triple.subject),
                                          predicate, constant_id(triple.object)));
    const auto counts =
        predicate.is_defined() ? run().data().predicate_counts(predicate) : std::nullopt;
    constexpr double kTriplesPerNode = 8;
    const double nodes = std::max(1.0, all_triples() / kTriplesPerNode);
    if (has_subject) rows /= counts ? static_cast<double>(counts->distinct_subjects) : nodes;
    if (has_object) rows /= counts ? static_cast<double>(counts->distinct_objects) : nodes;
    if (is_bound(column_name(triple.predicate))) rows /= kTriplesPerNode;
    return rows;
  }

  double path_fanout(const TriplePattern& triple, bool has_subject, bool has_object) const {
    constexpr double kReached = 50;
    const bool is_from = has_subject || std::holds_alternative<Constant>(triple.subject);
    const bool is_to = has_object || std::holds_alternative<Constant>(triple.object);
    if (is_from && is_to) return 1;
    if (is_from || is_to) return kReached;
    return all_triples() * kReached;
  }

  double estimate_all(const std::vector<Pattern>& parts) const {
    double rows = 0;
    for (const Pattern& part : parts) rows += estimate(part);
    return rows;
  }

  // Roughly how many solutions a pattern has.
  double estimate(const Pattern& pattern) const {
    if (const auto* node = pattern.if_is<BasicGraphPattern>()) {
      double rows = node->triples.empty() ? 1 : std::numeric_limits<double>::max();
      for (const TriplePattern& triple : node->triples) rows = std::min(rows, fanout(triple, {}));
      return rows;
    }
    if (const auto* node = pattern.if_is<Join>()) {
      double rows = std::numeric_limits<double>::max();
      for (const Pattern& part : node->parts) rows = std::min(rows, estimate(part));
      return rows;
    }
    if (const auto* node = pattern.if_is<Values>()) return static_cast<double>(node->rows.size());
    if (const auto* node = pattern.if_is<Union>()) return estimate_all(node->parts);
    if (const auto* node = pattern.if_is<LeftJoin>()) return estimate(*node->left);
    if (const auto* node = pattern.if_is<Minus>()) return estimate(*node->left);
    if (const auto* node = pattern.if_is<Filter>()) return estimate(*node->inner) / 2;
    if (const auto* node = pattern.if_is<Extend>()) return estimate(*node->inner);
    if (const auto* node = pattern.if_is<Graph>()) return estimate(*node->inner);
    if (const auto* node = pattern.if_is<SubSelect>()) return estimate(*node->select);
    return all_triples();
  }
  double estimate(const Select& select) const {
    double rows = estimate(select.body.where);
    if (is_grouped(select)) rows = select.body.group_by.empty() ? 1 : rows / 4;
    if (select.body.limit) rows = std::min(rows, static_cast<double>(*select.body.limit));
    return rows;
  }

  bool needs_endpoint(const Item& item) const {
    const auto* service = item.pattern != nullptr ? item.pattern->if_is<Service>() : nullptr;
    if (service == nullptr) return false;
    const auto* variable = std::get_if<Variable>(&service->endpoint);
    return variable != nullptr && !certain_.contains(variable->name);
  }

  // What the item costs with the variables that are bound now.
  void assess(Item& item) const {
    item.is_connected = item.variables.empty() || has_any(bound_, item.variables);
    if (item.triple != nullptr) {
      item.cost = fanout(*item.triple, bound_);
    } else {
      item.cost = item.is_connected ? std::sqrt(item.rows) : item.rows;
    }
  }

  // Among those connected with what is bound, the one that adds the fewest rows; without any, the
  // smallest. A service whose address is not known yet comes last.
  Item* choose() {
    const bool is_first = !has_begun_ && bound_.empty();
    Item* best = nullptr;
    double best_cost = 0;
    for (Item& item : items_) {
      if (item.is_done) continue;
      double cost = is_first || item.is_connected ? item.cost : kUnconnected + item.cost;
      if (needs_endpoint(item)) cost = std::numeric_limits<double>::max();
      if (best == nullptr || cost < best_cost) {
        best = &item;
        best_cost = cost;
      }
    }
    return best;
  }

  void bind(const std::vector<std::string>& variables) {
    for (const std::string& name : variables) {
      certain_.insert(name);
      if (!bound_.insert(name).second) continue;
      const auto waiting = waiting_for_.find(name);
      if (waiting == waiting_for_.end()) continue;
      const std::vector<Item*> items = std::move(waiting->second);
      waiting_for_.erase(waiting);
      for (Item* item : items) {
        if (!item->is_done) assess(*item);
      }
    }
  }

  Result<void> apply(const Item& item) {
    if (item.triple != nullptr) {
      HELVE_TRY(apply_triple(*item.triple));
    } else {
      HELVE_TRY(apply_pattern(item));
    }
    HELVE_ASSIGN(made_, planner_.charged(std::move(made_)));
    bind(item.variables);
    has_begun_ = true;
    return {};
  }

  Result<void> apply_triple(const TriplePattern& triple) {
    if (const auto* path = std::get_if<Path>(&triple.predicate)) {
      HELVE_ASSIGN(made_, make_path_join(std::move(made_), triple.subject, *path, triple.object,
                                         *frame_.scope, run()));
    } else {
      HELVE_ASSIGN(made_, make_triple_join(std::move(made_), triple, *frame_.scope, run()));
    }
    return {};
  }

  Result<void> apply_pattern(const Item& item) {
    const Pattern& pattern = *item.pattern;
    if (const auto* service = pattern.if_is<Service>()) {
      made_ = make_service_join(std::move(made_), *service, run());
      return {};
    }
    if (!has_begun_) {
      HELVE_ASSIGN(made_, planner_.plan(pattern, frame_));
      return {};
    }
    if (is_bindable(pattern) && has_any(bound_, item.variables)) {
      HELVE_ASSIGN(made_, planner_.join_seeded(JoinKind::Inner, std::move(made_), pattern, {},
                                               certain_, bound_, frame_));
      return {};
    }
    HELVE_ASSIGN(OperatorPtr right, planner_.plan(pattern, frame_));
    made_ = make_hash_join(JoinKind::Inner, std::move(made_), std::move(right), {},
                           frame_.is_volatile, run());
    return {};
  }

  // Those whose variables are all bound can be asked now.
  Result<void> apply_conditions() {
    std::vector<const Expression*> ready;
    std::vector<Condition> rest;
    for (Condition& condition : conditions_) {
      const bool is_ready = condition.may_come_early &&
                            std::includes(certain_.begin(), certain_.end(),
                                          condition.mentioned.begin(), condition.mentioned.end());
      if (is_ready) {
        ready.push_back(condition.expression);
      } else {
        rest.push_back(std::move(condition));
      }
    }
    conditions_ = std::move(rest);
    if (!ready.empty()) has_begun_ = true;
    HELVE_ASSIGN(made_, planner_.with_filter(std::move(made_), ready, frame_));
    return {};
  }

  static constexpr double kUnconnected = 1e30;

  Planner& planner_;
  const PlanFrame& frame_;
  std::vector<Condition> conditions_;
  VariableSet certain_;
  VariableSet bound_;
  std::deque<Item> items_;
  // Whose cost changes when a variable becomes bound.
  std::unordered_map<std::string, std::vector<Item*>> waiting_for_;
  OperatorPtr made_;
  bool has_begun_ = false;
};

Result<OperatorPtr> Planner::plan_join(const std::vector<const Pattern*>& parts,
                                       const std::vector<const Expression*>& conditions,
                                       const PlanFrame& frame) {
  return JoinPlanner(*this, frame, conditions).plan(parts);
}

}  // namespace helve::sparql
