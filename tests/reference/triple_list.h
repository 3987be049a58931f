// TripleList: a graph as a list of triples, the data of the reference evaluator. ReferenceDataset
// is what a query sees of a snapshot.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::reference {

using rdf::Id;

using Triple = std::array<Id, 3>;

class TripleList {
 public:
  void add(const Triple& triple);
  const std::vector<Triple>& triples() const { return triples_; }
  // Subjects and objects, each once.
  const std::vector<Id>& nodes() const { return nodes_; }
  // Calls back for every triple that has the defined ids of the pattern at their places.
  void for_each(const Triple& pattern, const std::function<void(const Triple&)>& visit) const;

 private:
  std::vector<Triple> triples_;  // each once
  std::vector<Id> nodes_;
  // By place and id: the only index there is, so that thousands of triples can be asked about.
  std::array<std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>, 3> by_term_;
};

struct ReferenceDataset {
  TripleList default_graph;
  std::vector<std::pair<Id, TripleList>> named;

  const TripleList* find(Id name) const;
};

// What FROM, FROM NAMED and the choice of a default graph leave of the snapshot.
// https://www.w3.org/TR/sparql11-query/#rdfDataset
ReferenceDataset dataset_of(const std::vector<sparql::DatasetGraph>& clauses,
                            const sparql::Snapshot& snapshot, bool is_union_default);

}  // namespace helve::reference
