#include "sources/rdf/xsd_type.h"

#include <array>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

// In the order of XsdType.
constexpr std::array<std::string_view, kXsdTypeCount> kIris = {
    "http://www.w3.org/2001/XMLSchema#string",
    "http://www.w3.org/2001/XMLSchema#normalizedString",
    "http://www.w3.org/2001/XMLSchema#token",
    "http://www.w3.org/2001/XMLSchema#language",
    "http://www.w3.org/2001/XMLSchema#NMTOKEN",
    "http://www.w3.org/2001/XMLSchema#Name",
    "http://www.w3.org/2001/XMLSchema#NCName",
    "http://www.w3.org/2001/XMLSchema#anyURI",
    "http://www.w3.org/2001/XMLSchema#boolean",
    "http://www.w3.org/2001/XMLSchema#decimal",
    "http://www.w3.org/2001/XMLSchema#integer",
    "http://www.w3.org/2001/XMLSchema#nonPositiveInteger",
    "http://www.w3.org/2001/XMLSchema#negativeInteger",
    "http://www.w3.org/2001/XMLSchema#nonNegativeInteger",
    "http://www.w3.org/2001/XMLSchema#positiveInteger",
    "http://www.w3.org/2001/XMLSchema#long",
    "http://www.w3.org/2001/XMLSchema#int",
    "http://www.w3.org/2001/XMLSchema#short",
    "http://www.w3.org/2001/XMLSchema#byte",
    "http://www.w3.org/2001/XMLSchema#unsignedLong",
    "http://www.w3.org/2001/XMLSchema#unsignedInt",
    "http://www.w3.org/2001/XMLSchema#unsignedShort",
    "http://www.w3.org/2001/XMLSchema#unsignedByte",
    "http://www.w3.org/2001/XMLSchema#float",
    "http://www.w3.org/2001/XMLSchema#double",
    "http://www.w3.org/2001/XMLSchema#dateTime",
    "http://www.w3.org/2001/XMLSchema#dateTimeStamp",
    "http://www.w3.org/2001/XMLSchema#date",
    "http://www.w3.org/2001/XMLSchema#time",
    "http://www.w3.org/2001/XMLSchema#gYearMonth",
    "http://www.w3.org/2001/XMLSchema#gYear",
    "http://www.w3.org/2001/XMLSchema#gMonthDay",
    "http://www.w3.org/2001/XMLSchema#gMonth",
    "http://www.w3.org/2001/XMLSchema#gDay",
    "http://www.w3.org/2001/XMLSchema#duration",
    "http://www.w3.org/2001/XMLSchema#yearMonthDuration",
    "http://www.w3.org/2001/XMLSchema#dayTimeDuration",
    "http://www.w3.org/2001/XMLSchema#hexBinary",
    "http://www.w3.org/2001/XMLSchema#base64Binary",
};

constexpr std::size_t kSlots = 256;
constexpr std::uint8_t kEmpty = 0xFF;

// Length and three characters of the local name tell the types apart well. REQUIRES: not empty.
constexpr std::size_t slot_of(std::string_view name) {
  const auto at = [name](std::size_t i) -> std::size_t {
    return static_cast<unsigned char>(name[i]);
  };
  const std::size_t middle = name.size() / 2;
  return (name.size() * 37 + at(0) * 5 + at(middle) * 3 + at(name.size() - 1) * 11) % kSlots;
}

// Open addressing: a name stands in its slot or in one of the next.
constexpr std::array<std::uint8_t, kSlots> kTable = [] {
  std::array<std::uint8_t, kSlots> table{};
  for (std::uint8_t& entry : table) entry = kEmpty;
  for (std::size_t i = 0; i < kIris.size(); ++i) {
    std::size_t slot = slot_of(kIris[i].substr(kXsd.size()));
    while (table[slot] != kEmpty) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<std::uint8_t>(i);
  }
  return table;
}();

}  // namespace

std::optional<XsdType> xsd_type_of_iri(std::string_view iri) {
  if (iri.size() <= kXsd.size() || !iri.starts_with(kXsd)) return std::nullopt;
  const std::string_view name = iri.substr(kXsd.size());
  for (std::size_t slot = slot_of(name); kTable[slot] != kEmpty; slot = (slot + 1) % kSlots) {
    if (kIris[kTable[slot]].substr(kXsd.size()) == name) return static_cast<XsdType>(kTable[slot]);
  }
  return std::nullopt;
}

std::string_view iri_of_xsd_type(XsdType type) { return kIris[static_cast<std::size_t>(type)]; }

XsdType operand_type(XsdType type) {
  if (is_string_type(type)) return XsdType::String;
  if (is_integer_type(type)) return XsdType::Integer;
  if (type == XsdType::DateTimeStamp) return XsdType::DateTime;
  return type;
}

}  // namespace helve::rdf
