// The functions on RDF terms: tests, parts, constructors.
// https://www.w3.org/TR/sparql11-query/#func-rdfTerms
#pragma once

#include <span>

#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// From isIRI to STRUUID, and those of SPARQL 1.2. REQUIRES: one of them, as many arguments as it
// takes, no error among them.
Value call_node_function(Function function, std::span<const Value> arguments,
                         EvaluationContext& context);

}  // namespace helve::sparql
