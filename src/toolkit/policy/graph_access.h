// Which graphs and endpoints a query reaches for, held against a policy. restricted_source.h puts
// it around a source.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// Every part of a pattern or a query that names a graph or an endpoint.
struct Reaches {
  std::vector<const sparql::Graph*> graphs;  // outside of SERVICE, whose graphs are not ours
  std::vector<const sparql::Service*> services;
};
Reaches reaches_of(const sparql::Query& query);
Reaches reaches_of(const sparql::Pattern& pattern);

// Denied where an endpoint is not on the list, or is a variable.
Result<void> check_endpoints(const Policy& policy, const Reaches& reaches);
// The same for one that is asked otherwise: not by SERVICE.
Result<void> check_endpoint(const Policy& policy, std::string_view url);

// The graphs that may be asked: at least one, or the unnamed one.
struct VisibleGraphs {
  std::set<std::string> names;
  bool has_unnamed = false;
  bool is_all = false;  // nothing is hidden
};

// The key of the policy that stands against a graph; empty: none.
std::string_view rule_against_graph(const Policy& policy, std::string_view iri);

// Denied where the dataset or a GRAPH names a graph that the policy denies, or one that is not
// among the allowed ones.
Result<void> check_graphs(const Policy& policy, const QueryDataset& asked, const Reaches& reaches,
                          const VisibleGraphs& visible);

// The dataset to ask instead of `asked`: all of the graphs where it names none. REQUIRES: it was
// checked.
QueryDataset dataset_within(const VisibleGraphs& visible, const QueryDataset& asked);

}  // namespace helve::toolkit
