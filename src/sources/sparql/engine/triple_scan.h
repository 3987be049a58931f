// TripleScan: triples of the active graph, whatever that is: one graph of the dataset, all of them,
// or several that FROM merges.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sources/sparql/engine/dataset.h"

namespace helve::sparql {

// The graph that patterns are matched against.
// https://www.w3.org/TR/sparql11-query/#sparqlDataset
struct GraphScope {
  enum class Kind : std::uint8_t { Default, Union, One, Merged };
  Kind kind = Kind::Default;
  Id graph;                // One; GRAPH ?g changes it from graph to graph
  std::vector<Id> merged;  // Merged: FROM; an undefined one is the default graph of the data
};

// Adds up what the graphs of the scope have: an upper bound where they repeat each other.
std::uint64_t count_triples(const Snapshot& data, const GraphScope& scope, Id subject, Id predicate,
                            Id object);

// Snapshot and scope must outlive it; the scope is looked at by start().
class TripleScan {
 public:
  TripleScan(const Snapshot& data, const GraphScope& scope);

  // Undefined ids match anything; ids of terms that the data does not have match nothing.
  void start(Id subject, Id predicate, Id object);
  // False at the end.
  bool next(QuadBatch& batch, std::size_t rows_max = QuadBatch::kRows);

 private:
  bool next_merged(QuadBatch& batch, std::size_t rows_max);
  void drop_repeated(QuadBatch& batch) const;

  const Snapshot& data_;
  const GraphScope& scope_;
  std::unique_ptr<Scan> scan_;
  QuadPattern pattern_;
  bool is_empty_ = true;
  std::size_t merged_ = 0;  // the graph of scope_.merged being scanned
};

}  // namespace helve::sparql
