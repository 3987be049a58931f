// The plan of a query for an endpoint, as we would run it: what is known of each pattern, where the
// numbers come from, and the order in which they are joined best. The endpoint's own is its own.
#pragma once

#include <cstdint>
#include <optional>

#include "sources/graph_source.h"
#include "toolkit/guard/cost_gate.h"

namespace helve::toolkit {

// Nothing is asked. `cost_ns` and those of the tree are lower bounds, as the guard's. Members of
// the tree: operator, pattern, estimated_rows, from ("profile", "probe", "guess"), cost, inputs;
// the inputs of a join in the order in which they are joined.
GraphPlan plan_for_endpoint(const sparql::Query& query, const GateVerdict& verdict,
                            std::optional<std::uint64_t> rows_max);

}  // namespace helve::toolkit
