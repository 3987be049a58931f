// Durations: xsd:duration and its two ordered kinds, yearMonthDuration and dayTimeDuration.
// https://www.w3.org/TR/xmlschema11-2/#duration
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/xsd_decimal.h"
#include "sources/rdf/xsd_type.h"

namespace helve::rdf {

inline constexpr std::int64_t kAttosecondsPerSecond = 1'000'000'000'000'000'000;

// No two of the parts have different signs. A fraction of a second is exact to 18 digits; further
// digits are cut off when read.
struct XsdDuration {
  std::int64_t months = 0;
  std::int64_t seconds = 0;
  std::int64_t attoseconds = 0;  // less than a second

  friend bool operator==(const XsdDuration&, const XsdDuration&) = default;
};

// REQUIRES: is_duration_type(type). nullopt for text of another shape and for more than 64 bits.
std::optional<XsdDuration> parse_duration(std::string_view text, XsdType type);
std::string canonical_duration(const XsdDuration& duration, XsdType type);

// nullopt when more than 64 bits would be needed or months and seconds would differ in sign.
std::optional<XsdDuration> add_durations(const XsdDuration& a, const XsdDuration& b);
std::optional<XsdDuration> negate_duration(const XsdDuration& duration);

// The part without months as a number of seconds, exactly, and back (cut at 18 digits).
Decimal seconds_of_duration(const XsdDuration& duration);
std::optional<XsdDuration> duration_of_seconds(const Decimal& seconds);

// Fractions of a second, shared with xsd_datetime.h.
// Reads digits behind a decimal point: 18 count, the rest is cut off.
std::int64_t attoseconds_of_digits(std::string_view digits);
// Appends "." and the digits without trailing zeros; nothing for 0.
void append_fraction(std::string& out, std::int64_t attoseconds);

}  // namespace helve::rdf
