// What a query reaches for outside of its default graph: endpoints and named graphs, as its algebra
// has them.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

// A graph that GRAPH, FROM or FROM NAMED names.
struct ReachedGraph {
  std::string iri;
  std::string endpoint;  // of the SERVICE around it; empty: the endpoint that is asked

  friend bool operator==(const ReachedGraph&, const ReachedGraph&) = default;
  friend bool operator<(const ReachedGraph& a, const ReachedGraph& b) {
    return std::tie(a.iri, a.endpoint) < std::tie(b.iri, b.endpoint);
  }
};

// Each once, sorted.
struct QueryReach {
  std::vector<std::string> services;
  std::vector<ReachedGraph> graphs;
  bool has_variable_service = false;  // SERVICE ?x
  bool has_variable_graph = false;    // GRAPH ?g, also inside of SERVICE
};

QueryReach reach_of(const sparql::Query& query);

}  // namespace helve::toolkit
