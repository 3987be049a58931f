// Rewrites a query so that a burden (workload.h) becomes light: samples in place of scans, exact
// texts in place of searches, a start in place of every start. Every row of the new query is, as
// far as its columns are plain terms, a row of the old one.
#pragma once

#include "sources/sparql/algebra/query.h"
#include "toolkit/guard/workload.h"

namespace helve::toolkit {

// Changes the query that the burden points into; false: it knows no way. Nothing else that was
// measured of that query is valid afterwards.
bool lighten(sparql::Query& query, const Burden& burden);

}  // namespace helve::toolkit
