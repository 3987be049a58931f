// What two right results may spell differently: language tags, and numbers that were computed.
#pragma once

#include "sources/sparql/algebra/query.h"
#include "sources/sparql/results/solutions.h"

namespace helve::conformance {

// Some variable of the query gets its values from an expression.
bool computes_values(const sparql::Query& query);

// Language tags in one case; with `has_computed`, numbers in the canonical form of their datatype:
// the specification gives the values of computed numbers, not their lexical forms, and the expected
// results of the suites have several.
void normalize(sparql::SolutionTable& table, bool has_computed);

}  // namespace helve::conformance
