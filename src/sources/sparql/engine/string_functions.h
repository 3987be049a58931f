// The functions on strings. https://www.w3.org/TR/sparql11-query/#func-strings
#pragma once

#include <span>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/regex_cache.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// From STRLEN to REPLACE, and the digests. REQUIRES: one of them, as many arguments as it takes, no
// error among them.
Value call_string_function(Function function, std::span<const Value> arguments,
                           EvaluationContext& context);

// REGEX and REPLACE with an expression that is ready. A hard error of it fails the query, another
// one gives an error.
Value call_regex(const Value& text, const Regex& regex, EvaluationContext& context);
Value call_replace(const Value& text, const Regex& regex, const Value& replacement,
                   EvaluationContext& context);

}  // namespace helve::sparql
