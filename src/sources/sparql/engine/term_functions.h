// The built-in functions and operators that take values and give a value; the lazy ones (&&, ||,
// IF, COALESCE, IN, BOUND, EXISTS) are in bound_expression.cc.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// REQUIRES: as many arguments as the function takes. An error among them gives an error.
Value call_function(Function function, std::span<const Value> arguments,
                    EvaluationContext& context);
// xsd:integer(...) and the like. REQUIRES: is_cast(iri).
Value call_cast(std::string_view iri, const Value& argument, EvaluationContext& context);
Value call_cast(rdf::XsdType type, const Value& argument, EvaluationContext& context);
bool is_cast(std::string_view iri);

// RDFterm-equal and the operators =, <: nullopt is a type error.
std::optional<bool> equal(const Value& a, const Value& b, EvaluationContext& context);
std::optional<bool> less(const Value& a, const Value& b, EvaluationContext& context);

}  // namespace helve::sparql
