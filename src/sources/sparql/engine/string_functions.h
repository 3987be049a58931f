// The functions on strings. https://www.w3.org/TR/sparql11-query/#func-strings
#pragma once

#include <optional>
#include <span>
#include <string_view>

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
// The same for the text alone; nullopt for an error. REQUIRES: no regex.error().
std::optional<bool> test_regex(std::string_view text, const Regex& regex,
                               EvaluationContext& context);
Value call_replace(const Value& text, const Regex& regex, const Value& replacement,
                   EvaluationContext& context);

// Linear in the worst case too, unlike std::string_view::find. npos where it is not.
std::size_t find_text(std::string_view text, std::string_view wanted);

}  // namespace helve::sparql
