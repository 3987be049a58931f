// Equality and order of XSD values, by the operators of XPath that SPARQL uses.
// https://www.w3.org/TR/sparql11-query/#OperatorMapping
#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "sources/rdf/xsd_value.h"

namespace helve::rdf {

// For < <= > >=. nullopt is a type error: the types have no common order. Unordered only for NaN.
// Numbers of different types are promoted first (0.1 equals 0.1e0), strings compare by code point.
std::optional<std::partial_ordering> compare_values(const XsdValue& a, const XsdValue& b,
                                                    const XsdContext& context = {});

// For = and !=. nullopt is a type error. Durations of all kinds can be equal, not all have an
// order.
std::optional<bool> equal_values(const XsdValue& a, const XsdValue& b,
                                 const XsdContext& context = {});

// XSD's own partial order within one primitive type, without an implicit time zone: unordered where
// the answer depends on it, or for durations such as P1M and P30D. nullopt: different primitives.
std::optional<std::partial_ordering> compare_values_strictly(const XsdValue& a, const XsdValue& b);

// Numbers by their exact values, without promotion: a consistent order over all numeric types, for
// sorting. NaN equals itself and comes before everything. REQUIRES: both numeric.
std::weak_ordering order_numbers(const XsdValue& a, const XsdValue& b);

// https://www.w3.org/TR/sparql11-query/#ebv. nullopt is a type error.
std::optional<bool> effective_boolean_value(const XsdValue& value);
// Of a literal: an ill-typed boolean or number is false.
std::optional<bool> effective_boolean_value(std::string_view lexical, XsdType type);

}  // namespace helve::rdf
