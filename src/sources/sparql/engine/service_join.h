// SERVICE: solutions from elsewhere, asked through the ServiceResolver.
// https://www.w3.org/TR/sparql11-federated-query/
#pragma once

#include <string>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// Joins the input with what the endpoint answers; it is asked once, when the first row comes. A
// variable endpoint is asked once for each value it has.
// REQUIRES: run.services is not null.
OperatorPtr make_service_join(OperatorPtr input, const Service& service, RunState& run);

}  // namespace helve::sparql
