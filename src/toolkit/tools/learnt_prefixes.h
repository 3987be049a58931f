// Prefixes of a graph for reading what a caller wrote, also of an endpoint that was never asked.
#pragma once

#include "base/op_context.h"
#include "sources/graph_source.h"

namespace helve::toolkit {

// Those that the data declares. An endpoint of which nothing is known yet is asked about itself
// first, as it would be before any query; where it does not answer, there are none.
PrefixList learnt_prefixes(const GraphSource& graph, const OpContext& context);

}  // namespace helve::toolkit
