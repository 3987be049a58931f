// Dates and times as instants: comparing, adding durations, differences, time zones. The values
// themselves are in xsd_datetime.h.
// https://www.w3.org/TR/xmlschema11-2/#vp-dt-timeOnTimeline
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "sources/rdf/xsd_datetime.h"
#include "sources/rdf/xsd_duration.h"

namespace helve::rdf {

// Values of one type; those without a time zone are taken to be in `implicit_timezone` (minutes
// east of UTC), as XPath does.
std::strong_ordering compare_instants(const XsdDateTime& a, const XsdDateTime& b,
                                      std::int16_t implicit_timezone);

// XSD's partial order: a value without a time zone compares with one that has one only when they
// are more than 14 hours apart, else they are unordered.
std::partial_ordering compare_instants_strictly(const XsdDateTime& a, const XsdDateTime& b);

// a - b.
std::optional<XsdDuration> instant_difference(const XsdDateTime& a, const XsdDateTime& b,
                                              std::int16_t implicit_timezone);

// Months first, with the day cut to what the month has, then the seconds; the time zone stays. A
// date drops the time it would get, a time the date. nullopt for years beyond 64 bits.
// https://www.w3.org/TR/xmlschema11-2/#adding-durations-to-dateTimes
std::optional<XsdDateTime> add_duration(const XsdDateTime& value, const XsdDuration& duration,
                                        XsdType type);

// The same instant told in another time zone; with nullopt, the same local time without one. A
// value without a time zone just gets the new one. (fn:adjust-dateTime-to-timezone)
std::optional<XsdDateTime> adjust_timezone(const XsdDateTime& value,
                                           std::optional<std::int16_t> timezone, XsdType type);

// XSD's partial order of durations: a < b if so after adding each to any dateTime.
// https://www.w3.org/TR/xmlschema11-2/#duration
std::partial_ordering compare_durations_strictly(const XsdDuration& a, const XsdDuration& b);

}  // namespace helve::rdf
