// Random datasets for comparing plans: few terms in many roles, so that joins meet, with hubs,
// cycles, skew, values of many types and the same triples in several graphs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sources/sparql/engine/dataset.h"
#include "tests/reference/choices.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::reference {

struct DataOptions {
  std::size_t quads_max = 40;
  std::size_t nodes_max = 10;
  bool has_graphs = true;
};

std::vector<MemoryQuad> random_quads(Choices& choices, const DataOptions& options);

// Terms that random data are made of.
rdf::Term node_term(std::size_t number);
rdf::Term predicate_term(std::size_t number);
// The first ones more often.
std::size_t any_predicate(Choices& choices);
rdf::Term any_literal_term(Choices& choices);
inline constexpr std::size_t kPredicates = 5;  // the last is rdf:type
inline constexpr std::size_t kGraphs = 3;
rdf::Term graph_term(std::size_t number);

// IRIs of the named graphs of some quads.
std::vector<std::string> graph_names(const std::vector<MemoryQuad>& quads);

std::string to_nquads(const std::vector<MemoryQuad>& quads);
// For people: the default graph and then each named one in braces.
std::string to_trig(const std::vector<MemoryQuad>& quads);

using SnapshotPtr = std::shared_ptr<const sparql::Snapshot>;
SnapshotPtr make_memory(const std::vector<MemoryQuad>& quads);
SnapshotPtr make_store(const std::vector<MemoryQuad>& quads);

}  // namespace helve::reference
