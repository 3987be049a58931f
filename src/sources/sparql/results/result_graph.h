// Results as an RDF graph, in the vocabulary of the first SPARQL test suites:
// http://www.w3.org/2001/sw/DataAccess/tests/result-set#
#pragma once

#include "base/result.h"
#include "sources/rdf/quad_set.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

// The one rs:ResultSet of the graph. Rows with rs:index are in that order, others in the order of
// their nodes. `is_ordered`, where given, tells whether all rows had an index.
Result<SolutionTable> solutions_from_graph(const rdf::QuadSet& graph, bool* is_ordered = nullptr);

}  // namespace helve::sparql
