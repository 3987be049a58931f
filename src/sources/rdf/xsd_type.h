// The built-in datatypes of XML Schema 1.1 that have values here, and how they derive.
// https://www.w3.org/TR/xmlschema11-2/#built-in-datatypes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace helve::rdf {

enum class XsdType : std::uint8_t {
  String,
  NormalizedString,
  Token,
  Language,
  NmToken,
  Name,
  NcName,
  AnyUri,
  Boolean,
  Decimal,
  Integer,
  NonPositiveInteger,
  NegativeInteger,
  NonNegativeInteger,
  PositiveInteger,
  Long,
  Int,
  Short,
  Byte,
  UnsignedLong,
  UnsignedInt,
  UnsignedShort,
  UnsignedByte,
  Float,
  Double,
  DateTime,
  DateTimeStamp,
  Date,
  Time,
  GYearMonth,
  GYear,
  GMonthDay,
  GMonth,
  GDay,
  Duration,
  YearMonthDuration,
  DayTimeDuration,
  HexBinary,
  Base64Binary,
};

inline constexpr std::size_t kXsdTypeCount = static_cast<std::size_t>(XsdType::Base64Binary) + 1;

// nullopt for every other IRI. Costs about as much as comparing the IRI once.
std::optional<XsdType> xsd_type_of_iri(std::string_view iri);
// The whole IRI; lives for the whole process.
std::string_view iri_of_xsd_type(XsdType type);

// The primitive (or, for integers, xsd:integer) that operators see: Int -> Integer, Token ->
// String, DateTimeStamp -> DateTime. The two kinds of ordered durations stay.
XsdType operand_type(XsdType type);

inline bool is_string_type(XsdType type) { return type <= XsdType::NcName; }
inline bool is_integer_type(XsdType type) {
  return type >= XsdType::Integer && type <= XsdType::UnsignedByte;
}
inline bool is_numeric_type(XsdType type) {
  return type >= XsdType::Decimal && type <= XsdType::Double;
}
// The types on the timeline: from DateTime to GDay.
inline bool is_temporal_type(XsdType type) {
  return type >= XsdType::DateTime && type <= XsdType::GDay;
}
inline bool is_duration_type(XsdType type) {
  return type >= XsdType::Duration && type <= XsdType::DayTimeDuration;
}
inline bool is_binary_type(XsdType type) {
  return type == XsdType::HexBinary || type == XsdType::Base64Binary;
}

}  // namespace helve::rdf
