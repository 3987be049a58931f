// Which graphs and endpoints a query reaches for, held against a policy. restricted_source.h puts
// it around a source.
#pragma once

#include <set>
#include <string>
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

// The graphs that may be asked: sorted, and never empty.
using GraphNames = std::set<std::string>;

// The dataset to ask instead of `asked`: all of the graphs where it names none. Denied where it or
// a GRAPH names another.
Result<QueryDataset> dataset_within(const GraphNames& allowed, const QueryDataset& asked,
                                    const Reaches& reaches);

}  // namespace helve::toolkit
