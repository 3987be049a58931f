// The part of a graph's schema that a query touches: what its classes have, what its properties
// join.
#pragma once

#include <optional>

#include "sources/graph_source.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// A few entries with uri, and properties (of a class) or domain and range (of a property). nullopt
// where the query names nothing that the graph knows.
std::optional<ReplyList> schema_fragment(const sparql::Query& query, const GraphSource& graph,
                                         ToolCall& call);

}  // namespace helve::toolkit
