// Dates and times: one struct for xsd:dateTime, date, time and the five g types. What can be
// computed with them is in xsd_timeline.h.
// https://www.w3.org/TR/xmlschema11-2/#theSevenPropertyModel
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/xsd_type.h"

namespace helve::rdf {

// Proleptic Gregorian; year 0 is 1 BCE. Parts that a type lacks have the values below (month and
// day 1 where the type has a year), so that values of one type compare part by part. A fraction of
// a second is exact to 18 digits; further digits are cut off when read.
struct XsdDateTime {
  std::int64_t year = 1972;
  std::uint8_t month = 12;
  std::uint8_t day = 31;
  std::uint8_t hour = 0;
  std::uint8_t minute = 0;
  std::uint8_t second = 0;
  std::optional<std::int16_t> timezone;  // minutes east of UTC, -840 to 840
  std::int64_t attoseconds = 0;

  friend bool operator==(const XsdDateTime&, const XsdDateTime&) = default;
};

inline constexpr std::int16_t kTimezoneMax = 14 * 60;

// Which parts the texts and values of a type have.
struct TemporalParts {
  bool year;
  bool month;
  bool day;
  bool time;
};
// REQUIRES: is_temporal_type(type), here and below.
TemporalParts parts_of(XsdType type);

// nullopt for text of another shape, days that do not exist and years beyond 64 bits. 24:00:00 is
// 00:00:00 of the next day.
std::optional<XsdDateTime> parse_datetime(std::string_view text, XsdType type);
// Canonical by XSD 1.1: the time zone is kept, UTC is "Z".
std::string canonical_datetime(const XsdDateTime& value, XsdType type);

// The value as `type` sees it: parts that the type lacks take their fixed values.
XsdDateTime reduced_to(const XsdDateTime& value, XsdType type);

bool is_leap_year(std::int64_t year);
std::uint8_t days_in_month(std::int64_t year, std::uint8_t month);

}  // namespace helve::rdf
