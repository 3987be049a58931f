#include "sources/rdf/xsd_cast.h"

#include <gtest/gtest.h>

#include <string>

#include "sources/rdf/xsd_value_testing.h"

namespace helve::rdf {
namespace {

struct CastCase {
  const char* from;
  const char* type;
  const char* expected;  // canonical form, or null for an error
};

void check(const CastCase& c) {
  const auto cast = cast_value(literal(c.from), type_named(c.type));
  const std::string expected =
      c.expected == nullptr ? "error" : std::string(c.expected) + " " + c.type;
  EXPECT_EQ(shown(cast), expected) << c.from;
}

TEST(XsdCast, Numbers) {
  const CastCase cases[] = {
      {"3.5 string", "integer", nullptr},
      {"1e3 string", "integer", nullptr},
      {" +3 string", "integer", "3"},
      {"3 string", "decimal", "3"},
      {"1e3 string", "decimal", nullptr},
      {"1e3 string", "double", "1.0E3"},
      {"abc string", "float", nullptr},
      {"3.7 decimal", "integer", "3"},
      {"-3.7 decimal", "integer", "-3"},
      {"-3.7 double", "integer", "-3"},
      {"1e30 double", "integer", "1000000000000000019884624838656"},
      {"NaN double", "integer", nullptr},
      {"INF float", "integer", nullptr},
      {"NaN double", "decimal", nullptr},
      {"0.1 double", "decimal", "0.1000000000000000055511151231257827021181583404541015625"},
      {"1.25 float", "decimal", "1.25"},
      {"300 integer", "byte", nullptr},
      {"-1 decimal", "unsignedInt", nullptr},
      {"200.9 decimal", "unsignedByte", "200"},
      {"7 byte", "integer", "7"},
      {"7 integer", "decimal", "7"},
      {"0.1 decimal", "double", "1.0E-1"},
      {"0.1 decimal", "float", "1.0E-1"},
      {"16777217 integer", "float", "1.6777216E7"},
      {"1e300 double", "float", "INF"},
      {"0.1 float", "double", "1.0000000149011612E-1"},
      {"NaN float", "double", "NaN"},
      {"-0 double", "integer", "0"},
      {"-0 double", "decimal", "0"},
      {"2024-01-01 date", "integer", nullptr},
      {"0A hexBinary", "integer", nullptr},
  };
  for (const CastCase& c : cases) check(c);
}

TEST(XsdCast, Booleans) {
  const CastCase cases[] = {
      {"true boolean", "integer", "1"},
      {"false boolean", "decimal", "0"},
      {"true boolean", "double", "1.0E0"},
      {"true boolean", "byte", "1"},
      {"true boolean", "negativeInteger", nullptr},
      {"0 integer", "boolean", "false"},
      {"-3 integer", "boolean", "true"},
      {"0.0 decimal", "boolean", "false"},
      {"NaN double", "boolean", "false"},
      {"INF float", "boolean", "true"},
      {"true string", "boolean", "true"},
      {"0 string", "boolean", "false"},
      {"TRUE string", "boolean", nullptr},
      {"2 string", "boolean", nullptr},
      {"true boolean", "dateTime", nullptr},
      {"P1D duration", "boolean", nullptr},
  };
  for (const CastCase& c : cases) check(c);
}

TEST(XsdCast, Strings) {
  const CastCase cases[] = {
      {"01 integer", "string", "1"},
      {"1.50 decimal", "string", "1.5"},
      {"2.0 decimal", "string", "2"},
      {"1 double", "string", "1"},
      {"1.5 float", "string", "1.5"},
      {"1e6 double", "string", "1.0E6"},
      {"1e-7 double", "string", "1.0E-7"},
      {"INF double", "string", "INF"},
      {"0 boolean", "string", "false"},
      {"2024-01-01T00:00:00+00:00 dateTime", "string", "2024-01-01T00:00:00Z"},
      {"PT90M duration", "string", "PT1H30M"},
      {"0a hexBinary", "string", "0A"},
      {"a:b anyURI", "string", "a:b"},
      {" a  b string", "token", "a b"},
      {"a b string", "NCName", nullptr},
      {"12 integer", "token", "12"},
      {"12 integer", "NCName", nullptr},
      {"http://a/b string", "anyURI", "http://a/b"},
      {"12 integer", "anyURI", nullptr},
  };
  for (const CastCase& c : cases) check(c);
}

TEST(XsdCast, DatesAndDurations) {
  const CastCase cases[] = {
      {"2024-02-29T12:34:56.7+02:00 dateTime", "date", "2024-02-29+02:00"},
      {"2024-02-29T12:34:56.7+02:00 dateTime", "time", "12:34:56.7+02:00"},
      {"2024-02-29T12:34:56 dateTime", "gYear", "2024"},
      {"2024-02-29T12:34:56 dateTime", "gYearMonth", "2024-02"},
      {"2024-02-29T12:34:56 dateTime", "gMonthDay", "--02-29"},
      {"2024-02-29T12:34:56Z dateTime", "gMonth", "--02Z"},
      {"2024-02-29T12:34:56Z dateTime", "gDay", "---29Z"},
      {"2024-02-29T12:34:56 dateTime", "dateTimeStamp", nullptr},
      {"2024-02-29T12:34:56Z dateTime", "dateTimeStamp", "2024-02-29T12:34:56Z"},
      {"2024-02-29T12:34:56Z dateTimeStamp", "dateTime", "2024-02-29T12:34:56Z"},
      {"2024-02-29Z date", "dateTime", "2024-02-29T00:00:00Z"},
      {"2024-02-29 date", "gDay", "---29"},
      {"2024-02-29 date", "time", nullptr},
      {"12:00:00 time", "dateTime", nullptr},
      {"2024 gYear", "date", nullptr},
      {"2024 gYear", "integer", nullptr},
      {"2024-02-29 string", "date", "2024-02-29"},
      {"2024-02-30 string", "date", nullptr},
      {"2024-02-29 string", "dateTime", nullptr},
      {"P1Y2DT3S duration", "yearMonthDuration", "P1Y"},
      {"P1Y2DT3S duration", "dayTimeDuration", "P2DT3S"},
      {"P1Y yearMonthDuration", "dayTimeDuration", "PT0S"},
      {"P1D dayTimeDuration", "yearMonthDuration", "P0M"},
      {"P1D dayTimeDuration", "duration", "P1D"},
      {"P1D dayTimeDuration", "date", nullptr},
      {"68656C6C6F hexBinary", "base64Binary", "aGVsbG8="},
      {"aGVsbG8= base64Binary", "hexBinary", "68656C6C6F"},
      {"a:b anyURI", "integer", nullptr},
  };
  for (const CastCase& c : cases) check(c);
}

TEST(XsdCast, ToTheSameTypeKeepsTheValue) {
  for (const char* text : {"1 integer", "NaN double", "2024-02-29+02:00 date", "x string"}) {
    const XsdValue value = literal(text);
    EXPECT_EQ(shown(cast_value(value, value.type)), shown(value));
  }
}

TEST(XsdCast, DigitsAreLimited) {
  XsdContext context;
  context.digits_max = 30;
  EXPECT_EQ(shown(cast_value(literal("0.1 double"), XsdType::Decimal, context)), "error");
  EXPECT_EQ(shown(cast_value(literal("0.5 double"), XsdType::Decimal, context)), "0.5 decimal");
}

}  // namespace
}  // namespace helve::rdf
