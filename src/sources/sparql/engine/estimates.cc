#include "sources/sparql/engine/estimates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kSampledRows = 48;
constexpr double kReached = 50;  // by a path that goes on and on
constexpr double kTriplesPerNode = 8;

template <typename TermOrPredicate>
PatternSlot slot_of(const TermOrPredicate& term, const RunState& run) {
  if (const auto name = column_name(term)) return {*name, {}};
  const auto& constant = std::get<Constant>(term).term;
  return {"", run.terms.find(constant.view()).value_or(Id(rdf::Tag::Local, 0))};
}

std::optional<std::size_t> place_of(const PatternSlots& slots, const std::string& variable) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].variable == variable) return i;
  }
  return std::nullopt;
}

// A term that the data does not have: the pattern matches nothing.
bool has_unknown_term(const PatternSlots& slots) {
  return std::any_of(slots.begin(), slots.end(), [](const PatternSlot& slot) {
    return slot.constant.tag() == rdf::Tag::Local;
  });
}

QuadPattern pattern_of(const PatternSlots& slots, const GraphScope& scope) {
  return {slots[0].constant, slots[1].constant, slots[2].constant, choice_of(scope)};
}

// The IRI that a closure follows, if it is a plain one.
const std::string* followed_iri(const Path& path) {
  if (path.kind == Path::Kind::Iri) return &path.iri;
  return path.parts.size() == 1 ? followed_iri(path.parts.front()) : nullptr;
}

double default_selectivity(const Expression& condition) {
  const auto* operation = condition.if_is<Operation>();
  if (operation == nullptr) return 0.5;
  switch (operation->function) {
    case Function::Equal:
    case Function::SameTerm:
      return 0.05;
    case Function::NotEqual:
    case Function::Bound:
      return 0.9;
    case Function::In:
      return 0.1;
    case Function::Regex:
    case Function::Contains:
    case Function::StrStarts:
    case Function::StrEnds:
      return 0.05;
    default:
      return 0.4;
  }
}

// A comparison of a variable with a constant, which cannot fail.
bool is_estimated_comparison(const Expression& condition) {
  const auto* operation = condition.if_is<Operation>();
  if (operation == nullptr || operation->arguments.size() != 2) return false;
  if (operation->function < Function::Equal || operation->function > Function::GreaterEqual) {
    return false;
  }
  const auto& arguments = operation->arguments;
  return (arguments[0].if_is<Variable>() != nullptr && arguments[1].if_is<Constant>() != nullptr) ||
         (arguments[1].if_is<Variable>() != nullptr && arguments[0].if_is<Constant>() != nullptr);
}

// The mean of what is found for each of the rows. Every fourth row is asked first, and the others
// only if these differ or find nothing: most properties have as many values everywhere.
template <typename FoundFor>
double mean_of_sample(std::size_t rows, const FoundFor& found_for) {
  constexpr std::size_t kStride = 4;
  constexpr double kUnseen = 0.5;  // nothing found is not nothing there
  const std::uint64_t first = found_for(0);
  std::uint64_t found = first;
  std::size_t asked = 1;
  bool are_equal = first > 0;
  for (std::size_t row = kStride; row < rows; row += kStride, ++asked) {
    const std::uint64_t here = found_for(row);
    are_equal = are_equal && here == first;
    found += here;
  }
  if (are_equal && asked >= kStride) return static_cast<double>(first);
  for (std::size_t row = 1; row < rows; ++row) {
    if (row % kStride != 0) found += found_for(row);
  }
  return std::max(static_cast<double>(found), kUnseen) / static_cast<double>(rows);
}

}  // namespace

Estimator::Known& Estimator::known(const TriplePattern& triple) const {
  const auto [found, is_new] = known_.try_emplace(&triple);
  Known& made = found->second;
  if (!is_new || std::holds_alternative<Path>(triple.predicate)) return made;
  made.slots = PatternSlots{slot_of(triple.subject, run_), slot_of(triple.predicate, run_),
                            slot_of(triple.object, run_)};
  made.rows = count(*made.slots);
  const Id predicate = (*made.slots)[1].constant;
  if (predicate.is_defined() && predicate.tag() != rdf::Tag::Local) {
    made.predicate = run_.data().predicate_counts(predicate);
  }
  return made;
}

// Before GRAPH ?g has met its first graph there is nothing to look at.
bool Estimator::can_sample() const {
  if (!run_.passes.has(Pass::Sampling) || !is_one_graph(scope_)) return false;
  return scope_.kind != GraphScope::Kind::One || scope_.graph.is_defined();
}

// Some of its rows. Of a pattern with slots.
const QuadBatch& Estimator::sample_of(const TriplePattern& triple) const {
  Known& of = known(triple);
  if (!of.sample) {
    of.sample.emplace();
    run_.data().sample(pattern_of(*of.slots, scope_), kSampledRows, *of.sample);
  }
  return *of.sample;
}

const std::optional<PatternSlots>& Estimator::slots_of(const TriplePattern& triple) const {
  return known(triple).slots;
}

double Estimator::all_triples() const {
  return std::max(1.0, static_cast<double>(run_.data().triples()));
}

double Estimator::count(const PatternSlots& slots) const {
  return static_cast<double>(
      count_triples(run_.data(), scope_, slots[0].constant, slots[1].constant, slots[2].constant));
}

double Estimator::rows(const TriplePattern& triple) const {
  const Known& of = known(triple);
  return of.slots ? of.rows : path_fanout(triple, false, false);
}

double Estimator::path_fanout(const TriplePattern& triple, bool has_subject,
                              bool has_object) const {
  const bool is_from = has_subject || std::holds_alternative<Constant>(triple.subject);
  const bool is_to = has_object || std::holds_alternative<Constant>(triple.object);
  double reached = kReached;
  if (const std::string* iri = followed_iri(std::get<Path>(triple.predicate))) {
    const auto id = run_.terms.find(rdf::TermView::iri(*iri));
    const double followed =
        id ? static_cast<double>(count_triples(run_.data(), scope_, {}, *id, {})) : 0;
    reached = std::min(reached, 1 + followed);
  }
  if (is_from && is_to) return 1;
  if (is_from || is_to) return reached;
  return all_triples() / kTriplesPerNode * reached;
}

double Estimator::distinct(const TriplePattern& triple, const std::string& variable) const {
  const Known& of = known(triple);
  if (!of.slots) return kReached;
  const auto place = place_of(*of.slots, variable);
  const double all = of.rows;
  if (!place) return 1;
  const auto& counts = of.predicate;
  if (!counts) return std::max(1.0, *place == 1 ? kTriplesPerNode : all / kTriplesPerNode);
  const auto known = *place == 0 ? counts->distinct_subjects : counts->distinct_objects;
  return std::max(1.0, std::min(all, static_cast<double>(known)));
}

double Estimator::fanout(const TriplePattern& triple, const std::set<std::string>& bound) const {
  const auto& slots = slots_of(triple);
  const auto is_bound = [&](const auto& term) {
    const auto name = column_name(term);
    return name && bound.contains(*name);
  };
  if (!slots) return path_fanout(triple, is_bound(triple.subject), is_bound(triple.object));
  double found = known(triple).rows;
  for (const PatternSlot& slot : *slots) {
    if (slot.is_variable() && bound.contains(slot.variable)) {
      found /= distinct(triple, slot.variable);
    }
  }
  return found;
}

// Two predicates of one subject, with any object: the sets of predicates that subjects have know.
std::optional<double> Estimator::star_fanout(const PatternSlots& slots,
                                             const PatternSlots& given) const {
  if (!run_.passes.has(Pass::CharacteristicSets)) return std::nullopt;
  const bool is_star = slots[0].is_variable() && slots[0].variable == given[0].variable;
  const bool has_predicates = !slots[1].is_variable() && !given[1].is_variable();
  const bool has_free_objects = slots[2].is_variable() && given[2].is_variable();
  if (!is_star || !has_predicates || !has_free_objects) return std::nullopt;
  if (slots[2].variable == given[2].variable) return std::nullopt;
  const std::array<Id, 2> both = {given[1].constant, slots[1].constant};
  if (both[0] == both[1] || both[0].tag() == rdf::Tag::Local || both[1].tag() == rdf::Tag::Local) {
    return std::nullopt;
  }
  const auto counts = run_.data().star_counts(both);
  const double rows_given = count(given);
  if (!counts || rows_given == 0) return std::nullopt;
  return counts->rows / rows_given;
}

// Rows of the smaller one are looked up in the other: they are more of all that it has.
std::optional<double> Estimator::sampled_fanout(const TriplePattern& triple,
                                                const TriplePattern& given) const {
  if (!can_sample()) return std::nullopt;
  const Known& left = known(triple);
  const Known& right = known(given);
  if (has_unknown_term(*left.slots) || has_unknown_term(*right.slots)) return 0;
  if (left.rows == 0 || right.rows == 0) return std::nullopt;
  const bool is_swapped = left.rows < right.rows;
  const auto pair = is_swapped ? std::pair(&triple, &given) : std::pair(&given, &triple);
  const auto [found, is_new] = joined_rows_.try_emplace(pair);
  if (is_new) found->second = sampled_rows(*pair.first, *pair.second);
  if (!found->second) return std::nullopt;
  return *found->second / right.rows;
}

// Of the join of two triples.
std::optional<double> Estimator::sampled_rows(const TriplePattern& smaller,
                                              const TriplePattern& larger) const {
  const QuadBatch& sample = sample_of(smaller);
  if (sample.rows == 0) return std::nullopt;
  const PatternSlots& from = *slots_of(smaller);
  const PatternSlots& slots = *slots_of(larger);
  QuadPattern look = pattern_of(slots, scope_);
  const std::array<Id*, 3> parts = {&look.subject, &look.predicate, &look.object};
  std::array<std::optional<std::size_t>, 3> places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (slots[i].is_variable()) places[i] = place_of(from, slots[i].variable);
  }
  const auto found_for = [&](std::size_t row) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (places[i]) *parts[i] = sample.columns[*places[i]][row];
    }
    return run_.data().count(look).n;
  };
  return known(smaller).rows * mean_of_sample(sample.rows, found_for);
}

double Estimator::fanout(const TriplePattern& triple, const TriplePattern& given) const {
  const auto& slots = slots_of(triple);
  const auto& from = slots_of(given);
  if (slots && from) {
    if (const auto known = star_fanout(*slots, *from)) return *known;
    if (const auto known = sampled_fanout(triple, given)) return *known;
  }
  std::set<std::string> bound;
  for (const auto& name :
       {column_name(given.subject), column_name(given.predicate), column_name(given.object)}) {
    if (name) bound.insert(*name);
  }
  return fanout(triple, bound);
}

double Estimator::selectivity(const Expression& condition, const TriplePattern* triple) const {
  const double unknown = default_selectivity(condition);
  if (triple == nullptr || !can_sample() || !is_estimated_comparison(condition)) return unknown;
  const auto& slots = slots_of(*triple);
  const std::string variable = *mentioned_variables(condition).begin();
  const auto place = slots ? place_of(*slots, variable) : std::nullopt;
  if (!place || has_unknown_term(*slots)) return unknown;
  const QuadBatch& sample = sample_of(*triple);
  if (sample.rows == 0) return unknown;
  Batch batch;
  batch.columns.push_back(sample.columns[*place]);
  batch.rows = sample.rows;
  const auto bound =
      BoundExpression::bind(condition, Schema({variable}), run_.expressions, nullptr);
  if (!bound) return unknown;
  double kept = 0.5;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    if (bound->truth(batch, row, run_.expressions).value_or(false)) kept += 1;
  }
  return kept / (static_cast<double>(batch.rows) + 1);
}

// Step by step, each as few rows more as possible.
double Estimator::join_rows(const std::vector<TriplePattern>& triples,
                            std::set<std::string> bound) const {
  constexpr std::size_t kJoinedMax = 12;
  if (triples.size() > kJoinedMax) {
    double least = std::numeric_limits<double>::max();
    for (const TriplePattern& triple : triples) least = std::min(least, rows(triple));
    return least;
  }
  std::vector<bool> is_done(triples.size());
  double joined = 1;
  for (std::size_t step = 0; step < triples.size(); ++step) {
    std::size_t best = 0;
    double best_fanout = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < triples.size(); ++i) {
      if (is_done[i]) continue;
      const double with = fanout(triples[i], bound);
      if (with >= best_fanout) continue;
      best = i;
      best_fanout = with;
    }
    if (best_fanout == std::numeric_limits<double>::max()) break;
    is_done[best] = true;
    joined *= best_fanout;
    for (const auto& name :
         {column_name(triples[best].subject), column_name(triples[best].predicate),
          column_name(triples[best].object)}) {
      if (name) bound.insert(*name);
    }
  }
  return joined;
}

double Estimator::rows(const Pattern& pattern) const {
  const auto least = [&](const std::vector<Pattern>& parts) {
    double fewest = std::numeric_limits<double>::max();
    for (const Pattern& part : parts) fewest = std::min(fewest, rows(part));
    return fewest;
  };
  if (const auto* node = pattern.if_is<BasicGraphPattern>()) {
    return join_rows(node->triples, {});
  }
  if (const auto* node = pattern.if_is<Join>()) return least(node->parts);
  if (const auto* node = pattern.if_is<Values>()) return static_cast<double>(node->rows.size());
  if (const auto* node = pattern.if_is<Union>()) {
    double sum = 0;
    for (const Pattern& part : node->parts) sum += rows(part);
    return sum;
  }
  if (const auto* node = pattern.if_is<LeftJoin>()) return rows(*node->left);
  if (const auto* node = pattern.if_is<Minus>()) return rows(*node->left);
  if (const auto* node = pattern.if_is<Filter>()) {
    double kept = rows(*node->inner);
    for (const Expression& condition : node->conditions) kept *= default_selectivity(condition);
    return kept;
  }
  if (const auto* node = pattern.if_is<Extend>()) return rows(*node->inner);
  if (const auto* node = pattern.if_is<Graph>()) return rows(*node->inner);
  if (const auto* node = pattern.if_is<SubSelect>()) return rows(*node->select);
  return all_triples();
}

double Estimator::rows(const Pattern& pattern, const std::set<std::string>& bound) const {
  if (const auto* node = pattern.if_is<BasicGraphPattern>()) return join_rows(node->triples, bound);
  if (const auto* node = pattern.if_is<Filter>()) return rows(*node->inner, bound);
  return std::sqrt(rows(pattern));
}

double Estimator::rows(const Select& select) const {
  double found = rows(select.body.where);
  if (is_grouped(select)) found = select.body.group_by.empty() ? 1 : std::max(1.0, found / 4);
  if (select.body.limit) found = std::min(found, static_cast<double>(*select.body.limit));
  return found;
}

}  // namespace helve::sparql
