// Casts between XSD values: SPARQL's constructor functions and the rest of XPath's table.
// https://www.w3.org/TR/sparql11-query/#FunctionMapping
// https://www.w3.org/TR/xpath-functions/#casting
#pragma once

#include <optional>
#include <string>

#include "sources/rdf/xsd_value.h"

namespace helve::rdf {

// nullopt is an error: no such cast, or not for this value. Strings are read as literals of the
// type; numbers lose their fraction on the way to integers (3.7 is 3) and must be in range; doubles
// become decimals with their exact value.
std::optional<XsdValue> cast_value(const XsdValue& value, XsdType target,
                                   const XsdContext& context = {});

// The value as casts to xsd:string write it: canonical but for floats and doubles of everyday size,
// which are written plainly ("1.5", not "1.5E0").
std::string cast_to_string(const XsdValue& value);

}  // namespace helve::rdf
