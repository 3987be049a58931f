// How values compare beyond = and < (term_functions.h): shared by operators and bound expressions.
// https://www.w3.org/TR/sparql11-query/#OperatorMapping
#pragma once

#include <compare>
#include <optional>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// For < <= > >=. nullopt is a type error; unordered only where a NaN takes part. Dates with and
// without a time zone compare only where the time zone cannot matter.
std::optional<std::partial_ordering> order_of(const Value& a, const Value& b,
                                              EvaluationContext& context);

// REQUIRES: neither is an error.
bool same_term(const Value& a, const Value& b, EvaluationContext& context);

// Any of = != < <= > >=; nullopt is a type error.
std::optional<bool> compare(Function comparison, const Value& a, const Value& b,
                            EvaluationContext& context);

// Language tags compare without regard to case; for ASCII, which is all that tags have.
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace helve::sparql
