// The functions on dates and times. https://www.w3.org/TR/sparql11-query/#func-date-time
#pragma once

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// From YEAR to TZ. Besides dateTime every type takes part that has what is asked for: YEAR of a
// date, HOURS of a time. REQUIRES: one of these functions.
Value call_date_function(Function function, const Value& argument, EvaluationContext& context);

}  // namespace helve::sparql
