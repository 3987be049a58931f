// ServiceDescription: what a SPARQL 1.1 Service Description or a VoID description tells, as a
// value. https://www.w3.org/TR/sparql11-service-description/, https://www.w3.org/TR/void/
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"

namespace helve::toolkit {

// void:triples and the like, in this order.
inline constexpr std::array<std::string_view, 7> kSizeNames = {
    "triples",          "entities",        "classes",  "properties",
    "distinctSubjects", "distinctObjects", "documents"};
using DescribedSizes = std::array<std::optional<std::uint64_t>, kSizeNames.size()>;

// Nodes are IRIs, or "_:label".
struct DescribedService {
  std::string node;
  std::string endpoint;  // may be empty
  std::string title;     // may be empty
};

struct DescribedDataset {
  std::string node;
  std::string title;
  std::string endpoint;  // void:sparqlEndpoint
  DescribedSizes sizes;
  std::uint64_t class_partitions = 0;
  std::uint64_t property_partitions = 0;
  bool is_subset = false;  // void:subset of another
};

struct DescribedGraph {
  std::string name;
  std::string title;
  DescribedSizes sizes;
};

struct DescribedFeature {
  std::string_view kind;  // "feature", "result_format"
  std::string iri;

  friend bool operator<(const DescribedFeature& a, const DescribedFeature& b) {
    return std::tie(a.kind, a.iri) < std::tie(b.kind, b.iri);
  }
};

struct DefaultDataset {
  std::string node;
  std::string title;
  std::string default_graph;  // a node
  DescribedSizes sizes;       // of its default graph
  std::uint64_t named_graphs = 0;
};

struct ServiceDescription {
  std::uint64_t statements = 0;
  std::vector<DescribedService> services;
  std::vector<DescribedDataset> datasets;  // without partitions and linksets; the largest first
  std::uint64_t linksets = 0;
  std::vector<DescribedGraph> graphs;      // named ones; the largest first
  std::vector<DescribedFeature> features;  // by kind
  std::optional<DefaultDataset> default_dataset;

  // Of the data: as the default graph has it, else the largest dataset that is part of no other.
  std::optional<std::uint64_t> triples() const;
  bool is_empty() const {
    return services.empty() && datasets.empty() && graphs.empty() && linksets == 0;
  }
};

// Reads all statements of the graph. LimitExceeded beyond a million of them.
Result<ServiceDescription> read_service_description(const GraphSource& graph,
                                                    const OpContext& context);

}  // namespace helve::toolkit
