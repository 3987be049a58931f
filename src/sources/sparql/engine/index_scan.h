// IndexScan: the triples of one pattern, straight from an index of the dataset: where plans begin.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// A position of a pattern that batches can work on: a term of the data, or a variable.
struct PatternSlot {
  std::string variable;  // empty: a constant
  Id constant;

  bool is_variable() const { return !variable.empty(); }
};
using PatternSlots = std::array<PatternSlot, 3>;  // subject, predicate, object

// False for a graph that is merged from several.
bool is_one_graph(const GraphScope& scope);
// REQUIRES: is_one_graph(scope).
GraphChoice choice_of(const GraphScope& scope);

// One of the stretches that a scan is cut into. They follow each other in its order.
struct ScanPart {
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

// Columns are the pattern's variables that are in `kept` (null: all), in the order of the pattern.
// REQUIRES: the variables differ; is_one_graph(scope). The scope must outlive it and is looked at
// after each restart, and so is `part`, if it gives one only.
OperatorPtr make_index_scan(const PatternSlots& slots, const GraphScope& scope,
                            std::optional<Order> preferred, const std::set<std::string>* kept,
                            const RunState& run, const ScanPart* part = nullptr);
// For people: where GRAPH ?g has met no graph yet, the first one. nullopt: there is none.
std::optional<GraphChoice> shown_choice(const GraphScope& scope, const Snapshot& data);
// And the index that such a scan reads; nullopt: the data does not have the pattern's terms.
std::optional<Order> scanned_order(const PatternSlots& slots, const GraphScope& scope,
                                   std::optional<Order> preferred, const Snapshot& data);

}  // namespace helve::sparql
