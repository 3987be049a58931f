// Delta: all that a store has more, or less, than its base, at one moment: quads in every order,
// what they change in the statistics, and named graphs that are there though they may be empty.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sources/store/live/delta_terms.h"
#include "sources/store/live/quad_trees.h"

namespace helve::store {

// The graph is undefined for the default graph.
struct Quad {
  Id subject;
  Id predicate;
  Id object;
  Id graph;

  Id operator[](Part part) const {
    const std::array<Id, 4> parts = {subject, predicate, object, graph};
    return parts[static_cast<std::size_t>(part)];
  }
  auto operator<=>(const Quad&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct QuadEdit {
  Quad quad;
  bool is_added = true;
};

QuadKey key_of(const Quad& quad, Order order);
Quad quad_of(const QuadKey& key, Order order);

struct IdHash {
  std::size_t operator()(Id id) const { return id.bits() * 0x9E3779B97F4A7C15U >> 7; }
};

// Differences from the statistics of the base, or between two states. All are exact.
struct StatisticsChange {
  struct Predicate {
    std::int64_t triples = 0;
    std::int64_t subjects = 0;
    std::int64_t objects = 0;

    friend bool operator==(const Predicate&, const Predicate&) = default;
  };
  std::int64_t statements = 0;
  std::int64_t triples = 0;
  std::int64_t subjects = 0;
  std::int64_t objects = 0;
  std::int64_t repeated = 0;  // Indexes::repeated_triples
  std::unordered_map<Id, Predicate, IdHash> predicates;
  std::unordered_map<Id, std::int64_t, IdHash> classes;
  std::unordered_map<Id, std::int64_t, IdHash> graphs;  // undefined: the default graph

  // What comes to nothing is not in the maps.
  void add(const StatisticsChange& later);
  friend bool operator==(const StatisticsChange&, const StatisticsChange&) = default;
};

// Behind a record of a log (change_log.h): from here on it can be read without what stands before.
struct LogPlace {
  std::uint64_t bytes = 0;      // where the next record begins; 0: there was no log
  std::uint64_t record_at = 0;  // where the last one begins; 0: there was none
  std::uint64_t chain = 0;      // the checksum that the next one goes on from
};

// How a state that was read from a log is read on from.
struct LogTail {
  LogPlace place;
  std::shared_ptr<DeltaTerms> terms;  // the delta's, for the one who reads on
};

// Immutable once it is in a LiveSnapshot.
struct Delta {
  QuadTrees trees;
  std::shared_ptr<const DeltaTerms> terms;  // never null
  DeltaTerms::Ends terms_end{};             // of those that came before this state
  StatisticsChange statistics;
  std::vector<Id> kept_graphs;  // ascending; exist even where they have no statements
  std::uint64_t version = 0;    // transactions since the store was made
  std::uint64_t chain = 0;      // a checksum of all of them since the base
  std::optional<LogTail> tail;  // of readers

  const QuadTree& operator[](Order order) const { return trees[order]; }
  EntryCounts counts() const { return trees[Order::Spo].counts(); }
  bool is_empty() const { return counts().is_zero() && kept_graphs.empty(); }
  std::uint64_t changes() const { return counts().added + counts().removed; }
  // The tag of the section has no terms in this delta.
  bool has_no_terms(Tag tag) const {
    const std::size_t section = static_cast<std::size_t>(tag) - 1;
    return terms_end[section] == terms->starts()[section];
  }
};

}  // namespace helve::store
