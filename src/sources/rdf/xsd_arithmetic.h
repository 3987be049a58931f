// Computing with XSD values, by the operators and functions of XPath that SPARQL uses, and its date
// arithmetic, which SPARQL engines share.
// https://www.w3.org/TR/xpath-functions/#op.numeric
#pragma once

#include <optional>

#include "sources/rdf/xsd_value.h"

namespace helve::rdf {

// nullopt is SPARQL's expression error: types without such an operator, division by zero, a result
// beyond context.digits_max digits or, for dates and durations, beyond 64 bits.
//
// Numbers are promoted to the higher of their types; integers of all kinds count as xsd:integer.
// Integer and decimal results are exact but for quotients (Decimal::divided_by), and the quotient
// of two integers is a decimal. Floats and doubles follow IEEE 754.

// Also: dateTime, date or time + duration (either way round), duration + duration.
std::optional<XsdValue> add_values(const XsdValue& a, const XsdValue& b,
                                   const XsdContext& context = {});
// Also: dateTime - dateTime, date - date, time - time; any of them - duration; duration - duration.
std::optional<XsdValue> subtract_values(const XsdValue& a, const XsdValue& b,
                                        const XsdContext& context = {});
// Also: yearMonthDuration or dayTimeDuration * number (either way round).
std::optional<XsdValue> multiply_values(const XsdValue& a, const XsdValue& b,
                                        const XsdContext& context = {});
// Also: yearMonthDuration or dayTimeDuration / number, and one / another of the same kind.
std::optional<XsdValue> divide_values(const XsdValue& a, const XsdValue& b,
                                      const XsdContext& context = {});

// Also for durations.
std::optional<XsdValue> negate_value(const XsdValue& value);

// Of numbers; the type stays but for the integer types, which become xsd:integer.
std::optional<XsdValue> abs_value(const XsdValue& value);
std::optional<XsdValue> ceiling_value(const XsdValue& value);
std::optional<XsdValue> floor_value(const XsdValue& value);
// To the nearest, halves towards positive infinity: 2.5 is 3, -2.5 is -2.
std::optional<XsdValue> round_value(const XsdValue& value);

}  // namespace helve::rdf
