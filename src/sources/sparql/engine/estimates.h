// Estimates: how many rows patterns have, from exact counts of the indexes, characteristic sets and
// a few sampled look-ups. For the planner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/index_scan.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// Of one graph. What it is made with, and triples that it was asked about, must outlive it. Not
// thread-safe.
class Estimator {
 public:
  Estimator(RunState& run, const GraphScope& scope) : run_(run), scope_(scope) {}

  // The pattern's terms as ids: those that the data does not have get one that matches nothing.
  // nullopt for a path.
  const std::optional<PatternSlots>& slots_of(const TriplePattern& triple) const;

  // Exact for a triple without repeated variables.
  double rows(const TriplePattern& triple) const;
  double rows(const Pattern& pattern) const;
  double rows(const Select& select) const;
  // For one row in which these variables are bound.
  double rows(const Pattern& pattern, const std::set<std::string>& bound) const;

  // How many rows a row becomes when these variables are bound, to values that nothing is known of.
  double fanout(const TriplePattern& triple, const std::set<std::string>& bound) const;
  // And when they are bound by another triple, of which some are looked at. Both must share a
  // variable.
  double fanout(const TriplePattern& triple, const TriplePattern& given) const;
  // Different values of a variable in the triple's solutions.
  double distinct(const TriplePattern& triple, const std::string& variable) const;
  // The part of the rows that a condition leaves; `triple`, if given, binds its variable.
  double selectivity(const Expression& condition, const TriplePattern* triple) const;

 private:
  std::optional<double> star_fanout(const PatternSlots& slots, const PatternSlots& given) const;
  std::optional<double> sampled_fanout(const TriplePattern& triple,
                                       const TriplePattern& given) const;
  std::optional<double> sampled_rows(const TriplePattern& smaller,
                                     const TriplePattern& larger) const;
  double path_fanout(const TriplePattern& triple, bool has_subject, bool has_object) const;
  double count(const PatternSlots& slots) const;
  double all_triples() const;
  double join_rows(const std::vector<TriplePattern>& triples, std::set<std::string> bound) const;

  // What is known of a triple: it is asked for again and again.
  struct Known {
    std::optional<PatternSlots> slots;
    double rows = 0;                           // where there are slots
    std::optional<PredicateCounts> predicate;  // where it is a constant
    std::optional<QuadBatch> sample;           // once asked for
  };
  Known& known(const TriplePattern& triple) const;
  bool can_sample() const;
  const QuadBatch& sample_of(const TriplePattern& triple) const;

  RunState& run_;
  const GraphScope& scope_;
  mutable std::unordered_map<const TriplePattern*, Known> known_;
  // By a smaller and a larger triple; nullopt: nothing could be looked at.
  mutable std::map<std::pair<const TriplePattern*, const TriplePattern*>, std::optional<double>>
      joined_rows_;
};

}  // namespace helve::sparql
