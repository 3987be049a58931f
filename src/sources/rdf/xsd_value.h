// XsdValue: what a literal of an XSD datatype means. Comparing is in xsd_compare.h, computing in
// xsd_arithmetic.h, casting in xsd_cast.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "sources/rdf/xsd_datetime.h"
#include "sources/rdf/xsd_decimal.h"
#include "sources/rdf/xsd_duration.h"
#include "sources/rdf/xsd_integer.h"
#include "sources/rdf/xsd_type.h"

namespace helve::rdf {

// What the rules leave open.
struct XsdContext {
  std::int16_t implicit_timezone = 0;  // minutes east of UTC, for values without a time zone
  // Of integers and decimals, read or computed; beyond it there is no value.
  std::size_t digits_max = Limits{}.number_digits_max;
};

// The alternative follows from the type: integer types hold an Integer, temporal types an
// XsdDateTime, durations an XsdDuration, binary types their bytes, string types and anyURI text.
struct XsdValue {
  using Data =
      std::variant<std::string, bool, Integer, Decimal, float, double, XsdDateTime, XsdDuration>;

  XsdType type = XsdType::String;
  Data data;

  XsdValue() = default;
  XsdValue(XsdType value_type, Data value) : type(value_type), data(std::move(value)) {}
  static XsdValue string(std::string text) { return {XsdType::String, std::move(text)}; }
  static XsdValue boolean(bool value) { return {XsdType::Boolean, value}; }
  static XsdValue integer(Integer value) { return {XsdType::Integer, std::move(value)}; }
  static XsdValue decimal(Decimal value) { return {XsdType::Decimal, std::move(value)}; }
  static XsdValue single(float value) { return {XsdType::Float, value}; }
  static XsdValue real(double value) { return {XsdType::Double, value}; }

  // REQUIRES: the type has that alternative.
  const std::string& text() const { return std::get<std::string>(data); }
  bool truth() const { return std::get<bool>(data); }
  const Integer& whole() const { return std::get<Integer>(data); }
  const XsdDateTime& moment() const { return std::get<XsdDateTime>(data); }
  const XsdDuration& duration() const { return std::get<XsdDuration>(data); }
};

// How white space around and inside a lexical form is met.
enum class XsdSpace : std::uint8_t {
  Process,  // by the type's whiteSpace facet, as casts and XML do
  Reject,   // the form must be in the lexical space already, as RDF says of literals
};

// nullopt when the form does not belong to the type (an ill-typed literal), and for numbers, years
// and durations larger than can be computed with. REQUIRES: valid UTF-8.
std::optional<XsdValue> parse_xsd_value(std::string_view lexical, XsdType type,
                                        XsdSpace space = XsdSpace::Process,
                                        const XsdContext& context = {});

// XSD 1.1's canonical form, which reads back as the same value.
std::string canonical_lexical(const XsdValue& value);

// Numeric type promotion: integer < decimal < float < double; 0 to 3.
// https://www.w3.org/TR/xpath20/#promotion. REQUIRES: is_numeric_type(type).
int numeric_rank(XsdType type);
// REQUIRES: an integer or decimal.
Decimal as_decimal(const XsdValue& value);
// The nearest. REQUIRES: numeric; not a double for as_float.
float as_float(const XsdValue& value);
double as_double(const XsdValue& value);

// True for an integer type whose range has the value; for the other numeric types always.
bool is_in_range(const Integer& value, XsdType type);

}  // namespace helve::rdf
