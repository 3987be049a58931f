// The operators that need no memory of their own: where plans begin, BIND, UNION, GRAPH,
// projection, OFFSET and LIMIT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// The rows of the seed, which must outlive it. With a seed without columns: the empty solution.
OperatorPtr make_seed(const Seed& seed);
// Rows given in advance, of VALUES or a service.
OperatorPtr make_rows(Schema schema, std::vector<std::vector<Id>> rows);
struct ComputedColumn {
  std::string name;
  BoundExpression expression;  // over the input and the columns computed before
};
// Binds variables, one after the other; a row where one has another value already is dropped.
OperatorPtr make_extend(OperatorPtr input, std::vector<ComputedColumn> computed, RunState& run);
OperatorPtr make_union(std::vector<OperatorPtr> parts);
// Runs the inner plan for each of the graphs, having set the scope to it. `column` names the
// variable of the graph.
OperatorPtr make_graph_loop(OperatorPtr inner, const std::string& variable, std::vector<Id> graphs,
                            GraphScope& scope, const RunState& run);
// These columns in this order; a variable that the input does not have is unbound.
OperatorPtr make_projection(OperatorPtr input, std::vector<std::string> names);
OperatorPtr make_slice(OperatorPtr input, std::uint64_t offset, std::optional<std::uint64_t> limit);

}  // namespace helve::sparql
