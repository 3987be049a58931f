// FILTER: the rows of the input for which all conditions are true.
#pragma once

#include <vector>

#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// In whole batches where Pass::BatchFilters is on and the conditions allow it.
OperatorPtr make_filter(OperatorPtr input, std::vector<BoundExpression> conditions, RunState& run);

}  // namespace helve::sparql
