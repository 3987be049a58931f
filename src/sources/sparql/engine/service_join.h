// SERVICE: solutions from elsewhere, asked through the ServiceResolver.
// https://www.w3.org/TR/sparql11-federated-query/
#pragma once

#include <string>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// Joins the input with what the endpoint answers. It is asked with the bindings of the rows that
// are there, in blocks, so that it gives what goes with them and not all it has; once for all where
// they share no variable. A variable endpoint is asked for each value it has. LimitExceeded beyond
// some hundred requests. REQUIRES: run.services is not null.
OperatorPtr make_service_join(OperatorPtr input, const Service& service, RunState& run);

}  // namespace helve::sparql
