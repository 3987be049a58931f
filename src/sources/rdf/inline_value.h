// Literals whose value fits into an Id. Only the one canonical spelling of a value is inlined, so
// that identity of ids stays identity of terms; everything else goes to the dictionary.
//
//   boolean            "true", "false"
//   integer            |v| < 2^59
//   decimal            at most 8 fraction digits, v * 10^8 within 60 bits; spelled "1.5", "1.0",
//   "-0.25" double             0.0E0, and 2^-63 <= |v| < 2^64 with the whole mantissa; spelled
//   "1.5E0" date               year 0000 to 9999, no time zone dateTime, zoned    year 0000 to
//   9999, milliseconds; zone "Z" or +hh:mm in whole minutes dateTime           year 0000 to 9999,
//   microseconds, no time zone
//
// The order of payloads is the order of values. Zoned dateTimes of one instant differ in the lowest
// 11 bits, the zone: compare payload >> kZoneBits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/id.h"
#include "sources/rdf/xsd_value.h"

namespace helve::rdf {

inline constexpr int kZoneBits = 11;
inline constexpr int kDecimalScale = 8;

// nullopt: not canonical, out of range, or of another datatype.
std::optional<Id> inline_literal(std::string_view lexical, std::string_view datatype);

// REQUIRES: id.is_inlined(). Appends the lexical form that inline_literal took.
void append_inlined_lexical(std::string& out, Id id);

// The datatype IRI of an inlined tag; empty for others.
std::string_view inlined_datatype(Tag tag);

// Without going through text. The id of a value is that of the one spelling that is inlined;
// nullopt when that does not fit, and for other types, derived ones included.
std::optional<Id> inline_value(const XsdValue& value);
// REQUIRES: id.is_inlined().
XsdValue inlined_value(Id id);
// Of an integer its value, of a decimal its value times 10^kDecimalScale. REQUIRES: one of them.
constexpr std::int64_t inlined_number(Id id) {
  return static_cast<std::int64_t>(id.payload()) - (std::int64_t{1} << (Id::kPayloadBits - 1));
}

}  // namespace helve::rdf
