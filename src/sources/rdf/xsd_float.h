// The texts of xsd:float and xsd:double.
// https://www.w3.org/TR/xmlschema11-2/#float, https://www.w3.org/TR/xmlschema11-2/#double
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::rdf {

// Digits with optional sign, point and exponent, or INF, +INF, -INF, NaN; no white space. Rounded
// to the nearest; too large becomes INF, too small becomes 0, both with their sign.
std::optional<double> parse_xsd_double(std::string_view text);
std::optional<float> parse_xsd_float(std::string_view text);

// The canonical form with the fewest digits that read back the same: "1.0E0", "-1.5E-7", "INF",
// "-0.0E0", "NaN".
std::string canonical_double(double value);
std::string canonical_float(float value);

// As casts to xsd:string write them: plain for 0 and from 0.000001 up to 1000000 ("1.5", "100"),
// else canonical.
// https://www.w3.org/TR/xpath-functions/#casting-to-string
std::string cast_double_to_string(double value);
std::string cast_float_to_string(float value);

}  // namespace helve::rdf
