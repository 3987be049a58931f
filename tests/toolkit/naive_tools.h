// What a tool without handles returns: whole results, in the JSON of SPARQL 1.1.
#pragma once

#include <string>

#include "sources/graph_source.h"

namespace helve::proofs {

// The results of a SELECT query; stops the program where it is no query.
std::string naive_results(const GraphSource& graph, const std::string& query);

}  // namespace helve::proofs
