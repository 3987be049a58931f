#include "sources/rdf/inline_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

std::string round_trip(std::string_view lexical, std::string_view datatype) {
  const auto id = inline_literal(lexical, datatype);
  if (!id) return "(dictionary)";
  std::string out;
  append_inlined_lexical(out, *id);
  EXPECT_EQ(inlined_datatype(id->tag()), datatype);
  return out;
}

struct Family {
  std::string_view datatype;
  std::vector<std::string_view> ascending;   // inlined, in order of value
  std::vector<std::string_view> dictionary;  // other spellings, out of range, ill-typed
};

const Family kFamilies[] = {
    {kXsdBoolean, {"false", "true"}, {"0", "1", "True", ""}},
    {kXsdInteger,
     {"-576460752303423487", "-17", "-1", "0", "1", "2", "10", "576460752303423487"},
     {"", "-", "+1", "01", "-0", "1.0", " 1", "1 ", "576460752303423488", "-576460752303423488",
      "99999999999999999999999"}},
    {kXsdDecimal,
     {"-5764607522.5", "-1.0", "-0.25", "0.0", "0.00000001", "0.5", "1.0", "1.5", "48.85661401"},
     {"1", ".5", "1.", "1.50", "-0.0", "01.5", "+1.0", "0.000000001", "5764607523.0", "1.5e0",
      "1.a"}},
    {kXsdDouble,
     {"-1.0E10", "-1.5E0", "-1.1E-19", "0.0E0", "1.1E-19", "1.0E-3", "1.0E0", "1.5E0",
      "2.718281828459045E0", "1.0E1", "1.8E19"},
     {"1", "1.5", "1e0", "1.50E0", "1.0E+0", "-0.0E0", "INF", "NaN", "1.0E-19", "1.0E300", "1.0E",
      "0x1.0E0"}},
    {kXsdDate,
     {"0000-01-01", "0001-01-01", "1900-02-28", "1900-03-01", "1969-12-31", "1970-01-01",
      "2000-02-29", "2024-12-31", "9999-12-31"},
     {"2024-13-01", "2024-00-01", "2023-02-29", "2024-01-32", "2024-1-1", "2024-01-01Z",
      "12024-01-01", "-0001-01-01", "2024/01/01", ""}},
    {kXsdDateTime,
     {"1969-12-31T23:59:59.5", "1970-01-01T00:00:00", "2024-02-29T12:34:56",
      "2024-02-29T12:34:56.000001", "9999-12-31T23:59:59.999999"},
     {"2024-02-29T24:00:00", "2024-02-29T12:34:60", "2024-02-29T12:34:56.0",
      "2024-02-29T12:34:56.1234567", "2024-02-29T12:34", "2024-02-29 12:34:56",
      "2024-02-29T12:34:56+00:00", "2024-02-29T12:34:56+14:01", "2024-02-29T12:34:56.1234Z",
      "2024-02-29T12:34:56ZZ", "2024-02-29T12:34:56Zx"}},
    {kXsdDateTime,
     {"0000-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z",
      "2024-06-01T12:00:00+02:00", "2024-06-01T10:00:00.001Z", "2024-06-01T07:30:00-03:00",
      "9999-12-31T23:59:59-14:00"},
     {}},
};

TEST(InlineValue, CanonicalSpellingsComeBack) {
  for (const Family& family : kFamilies) {
    for (const auto lexical : family.ascending) {
      EXPECT_EQ(round_trip(lexical, family.datatype), lexical);
    }
  }
}

TEST(InlineValue, OrderOfIdsIsOrderOfValues) {
  for (const Family& family : kFamilies) {
    for (std::size_t i = 1; i < family.ascending.size(); ++i) {
      EXPECT_LT(*inline_literal(family.ascending[i - 1], family.datatype),
                *inline_literal(family.ascending[i], family.datatype))
          << family.ascending[i];
    }
  }
}

TEST(InlineValue, OtherSpellingsGoToTheDictionary) {
  for (const Family& family : kFamilies) {
    for (const auto lexical : family.dictionary) {
      EXPECT_EQ(round_trip(lexical, family.datatype), "(dictionary)") << lexical;
    }
  }
}

TEST(InlineValue, OneInstantInTwoZonesDiffersOnlyInTheZoneBits) {
  const Id zulu = *inline_literal("2024-06-01T10:00:00Z", kXsdDateTime);
  const Id paris = *inline_literal("2024-06-01T12:00:00+02:00", kXsdDateTime);
  EXPECT_NE(zulu, paris);
  EXPECT_EQ(zulu.payload() >> kZoneBits, paris.payload() >> kZoneBits);
}

TEST(InlineValue, OtherDatatypesAreNotInlined) {
  EXPECT_EQ(round_trip("1", "http://www.w3.org/2001/XMLSchema#int"), "(dictionary)");
  EXPECT_EQ(round_trip("1", "http://example.org/integer"), "(dictionary)");
}

TEST(InlineValue, ValuesGoInAndOutWithoutText) {
  for (const Family& family : kFamilies) {
    const auto type = xsd_type_of_iri(family.datatype);
    for (const std::string_view lexical : family.ascending) {
      SCOPED_TRACE(lexical);
      const Id id = *inline_literal(lexical, family.datatype);
      const XsdValue value = inlined_value(id);
      const auto parsed = parse_xsd_value(lexical, *type);
      EXPECT_EQ(value.type, *type);
      EXPECT_EQ(value.data, parsed->data);
      EXPECT_EQ(inline_value(value), id);
    }
  }
}

TEST(InlineValue, ValuesThatDoNotFitHaveNoId) {
  const std::pair<std::string_view, XsdType> values[] = {
      {"576460752303423488", XsdType::Integer},
      {"-576460752303423488", XsdType::Integer},
      {"99999999999999999999999", XsdType::Integer},
      {"1", XsdType::Int},
      {"0.000000001", XsdType::Decimal},
      {"5764607523.0", XsdType::Decimal},
      {"-5764607523.0", XsdType::Decimal},
      {"123456789012345678", XsdType::Decimal},
      {"-0", XsdType::Double},
      {"NaN", XsdType::Double},
      {"INF", XsdType::Double},
      {"1.0E-19", XsdType::Double},
      {"1", XsdType::Float},
      {"2024-01-01Z", XsdType::Date},
      {"-0001-01-01", XsdType::Date},
      {"12024-01-01T00:00:00", XsdType::DateTime},
      {"2024-01-01T00:00:00.0000001", XsdType::DateTime},
      {"2024-01-01T00:00:00.0001Z", XsdType::DateTime},
      {"2024-01-01T00:00:00Z", XsdType::DateTimeStamp},
      {"text", XsdType::String},
  };
  for (const auto& [lexical, type] : values) {
    EXPECT_EQ(inline_value(*parse_xsd_value(lexical, type)), std::nullopt) << lexical;
  }
}

}  // namespace
}  // namespace helve::rdf
