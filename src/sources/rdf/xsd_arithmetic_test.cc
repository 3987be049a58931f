#include "sources/rdf/xsd_arithmetic.h"

#include <gtest/gtest.h>

#include <string>

#include "sources/rdf/xsd_value_testing.h"

namespace helve::rdf {
namespace {

struct ArithmeticCase {
  const char* a;
  char op;
  const char* b;
  const char* expected;
};

std::string computed(const ArithmeticCase& c, const XsdContext& context = {}) {
  const XsdValue a = literal(c.a);
  const XsdValue b = literal(c.b);
  switch (c.op) {
    case '+':
      return shown(add_values(a, b, context));
    case '-':
      return shown(subtract_values(a, b, context));
    case '*':
      return shown(multiply_values(a, b, context));
    default:
      return shown(divide_values(a, b, context));
  }
}

TEST(XsdArithmetic, Numbers) {
  const ArithmeticCase cases[] = {
      {"1 integer", '+', "2 integer", "3 integer"},
      {"1 byte", '+', "2 unsignedLong", "3 integer"},
      {"127 byte", '+', "1 byte", "128 integer"},
      {"9223372036854775807 long", '+', "1 long", "9223372036854775808 integer"},
      {"-9223372036854775808 integer", '-', "1 integer", "-9223372036854775809 integer"},
      {"9223372036854775807 integer", '*', "9223372036854775807 integer",
       "85070591730234615847396907784232501249 integer"},
      {"1 integer", '+', "0.5 decimal", "1.5 decimal"},
      {"0.5 decimal", '+', "0.5 decimal", "1 decimal"},
      {"0.1 decimal", '*', "0.1 decimal", "0.01 decimal"},
      {"1 integer", '-', "0.9 decimal", "0.1 decimal"},
      {"6 integer", '/', "3 integer", "2 decimal"},
      {"1 integer", '/', "4 integer", "0.25 decimal"},
      {"1 integer", '/', "3 integer", "0.333333333333333333 decimal"},
      {"1.5 decimal", '/', "0.5 decimal", "3 decimal"},
      {"1 integer", '/', "0 integer", "error"},
      {"1.5 decimal", '/', "0.0 decimal", "error"},
      {"0 integer", '/', "0 decimal", "error"},
      {"1 integer", '/', "0 double", "INF double"},
      {"-1 integer", '/', "0 float", "-INF float"},
      {"0 double", '/', "0 integer", "NaN double"},
      {"1 integer", '+', "1 float", "2.0E0 float"},
      {"1 integer", '+', "1 double", "2.0E0 double"},
      {"0.1 float", '+', "0 double", "1.0000000149011612E-1 double"},
      {"0.1 decimal", '+', "0 float", "1.0E-1 float"},
      {"0.1 double", '+', "0.2 double", "3.0000000000000004E-1 double"},
      {"1e308 double", '*', "10 integer", "INF double"},
      {"INF double", '-', "INF double", "NaN double"},
      {"1 integer", '+', "1 string", "error"},
      {"true boolean", '+', "1 integer", "error"},
      {"a string", '+', "b string", "error"},
  };
  for (const ArithmeticCase& c : cases) EXPECT_EQ(computed(c), c.expected) << c.a << c.op << c.b;
}

TEST(XsdArithmetic, DatesAndDurations) {
  const ArithmeticCase cases[] = {
      {"2000-10-30T06:12:00-05:00 dateTime", '-', "1999-11-28T09:00:00Z dateTime",
       "P337DT2H12M dayTimeDuration"},
      {"2000-10-30Z date", '-', "1999-11-28Z date", "P337D dayTimeDuration"},
      {"2000-10-30+05:00 date", '-', "1999-11-28Z date", "P336DT19H dayTimeDuration"},
      {"2000-10-15-05:00 date", '-', "2000-10-10+02:00 date", "P5DT7H dayTimeDuration"},
      {"11:12:00Z time", '-', "04:00:00Z time", "PT7H12M dayTimeDuration"},
      {"11:00:00-05:00 time", '-', "21:30:00+05:30 time", "PT0S dayTimeDuration"},
      {"08:00:00 time", '-', "17:00:00Z time", "-PT9H dayTimeDuration"},
      {"2000-10-30T11:12:00 dateTime", '+', "P1Y2M yearMonthDuration",
       "2001-12-30T11:12:00 dateTime"},
      {"P3DT1H15M dayTimeDuration", '+', "2000-10-30T11:12:00 dateTime",
       "2000-11-02T12:27:00 dateTime"},
      {"2000-10-30T11:12:00 dateTime", '-', "P1Y2M yearMonthDuration",
       "1999-08-30T11:12:00 dateTime"},
      {"2000-10-30T11:12:00Z dateTimeStamp", '-', "P3DT1H15M dayTimeDuration",
       "2000-10-27T09:57:00Z dateTime"},
      {"2000-02-29 date", '-', "P1Y yearMonthDuration", "1999-02-28 date"},
      {"2000-10-30 date", '-', "P3DT1H15M dayTimeDuration", "2000-10-26 date"},
      {"2000-10-30 date", '+', "P1M1D duration", "2000-12-01 date"},
      {"08:20:00-05:00 time", '-', "P23DT10H10M dayTimeDuration", "22:10:00-05:00 time"},
      {"08:20:00 time", '+', "P1M yearMonthDuration", "error"},
      {"2000 gYear", '+', "P1Y yearMonthDuration", "error"},
      {"P1D dayTimeDuration", '-', "2000-10-30 date", "error"},
      {"2000-10-30 date", '-', "2000-10-30T00:00:00 dateTime", "error"},
      {"2000-10-30 date", '+', "2000-10-30 date", "error"},
      {"P2Y11M yearMonthDuration", '+', "P3Y3M yearMonthDuration", "P6Y2M yearMonthDuration"},
      {"P2Y11M yearMonthDuration", '-', "P3Y3M yearMonthDuration", "-P4M yearMonthDuration"},
      {"P2DT12H5M dayTimeDuration", '+', "P5DT12H dayTimeDuration", "P8DT5M dayTimeDuration"},
      {"P1Y yearMonthDuration", '+', "P1D dayTimeDuration", "P1Y1D duration"},
      {"P1Y yearMonthDuration", '-', "P1D dayTimeDuration", "error"},
      {"P2Y11M yearMonthDuration", '*', "2.3 decimal", "P6Y9M yearMonthDuration"},
      {"2.1 double", '*', "PT2H10M dayTimeDuration", "PT4H33M dayTimeDuration"},
      {"-P1M yearMonthDuration", '*', "0.5 decimal", "P0M yearMonthDuration"},
      {"P1M yearMonthDuration", '*', "NaN double", "error"},
      {"P1M yearMonthDuration", '*', "INF double", "error"},
      {"P1M yearMonthDuration", '*', "9223372036854775808 integer", "error"},
      {"P1M duration", '*', "2 integer", "error"},
      {"P2Y11M yearMonthDuration", '/', "1.5 decimal", "P1Y11M yearMonthDuration"},
      {"P4D dayTimeDuration", '/', "2 integer", "P2D dayTimeDuration"},
      {"PT1S dayTimeDuration", '/', "3 integer", "PT0.333333333333333333S dayTimeDuration"},
      {"P4D dayTimeDuration", '/', "0 integer", "error"},
      {"P4D dayTimeDuration", '/', "NaN double", "error"},
      {"P4D dayTimeDuration", '/', "-INF double", "PT0S dayTimeDuration"},
      {"P3Y4M yearMonthDuration", '/', "-P1Y4M yearMonthDuration", "-2.5 decimal"},
      {"P2DT53M11S dayTimeDuration", '/', "P1DT10H dayTimeDuration",
       "1.437834967320261438 decimal"},
      {"P1D dayTimeDuration", '/', "PT0S dayTimeDuration", "error"},
      {"P1D dayTimeDuration", '/', "P1M yearMonthDuration", "error"},
  };
  for (const ArithmeticCase& c : cases) EXPECT_EQ(computed(c), c.expected) << c.a << c.op << c.b;
}

TEST(XsdArithmetic, ImplicitTimezoneEntersDifferences) {
  XsdContext context;
  context.implicit_timezone = 120;
  EXPECT_EQ(
      computed({"2000-01-01T12:00:00 dateTime", '-', "2000-01-01T12:00:00Z dateTime", ""}, context),
      "-PT2H dayTimeDuration");
}

TEST(XsdArithmetic, DigitsAreLimited) {
  XsdContext context;
  context.digits_max = 40;
  const std::string nines = std::string(30, '9') + " integer";
  EXPECT_EQ(computed({nines.c_str(), '*', nines.c_str(), ""}, context), "error");
  EXPECT_NE(computed({nines.c_str(), '+', nines.c_str(), ""}, context), "error");
  const std::string tiny = "0." + std::string(29, '0') + "1 decimal";
  EXPECT_EQ(computed({tiny.c_str(), '*', tiny.c_str(), ""}, context), "error");

  // Squaring again and again ends in an error, not in a number without end.
  std::optional<XsdValue> value = literal("12345678901234567890 integer");
  int steps = 0;
  while (value && steps < 100) {
    value = multiply_values(*value, *value);
    ++steps;
  }
  EXPECT_EQ(steps, 10);
}

TEST(XsdArithmetic, UnaryFunctions) {
  struct UnaryCase {
    const char* value;
    const char* negated;
    const char* absolute;
    const char* ceiling;
    const char* floor;
    const char* round;
  };
  const UnaryCase cases[] = {
      {"-5 short", "5 integer", "5 integer", "-5 integer", "-5 integer", "-5 integer"},
      {"2.5 decimal", "-2.5 decimal", "2.5 decimal", "3 decimal", "2 decimal", "3 decimal"},
      {"-2.5 decimal", "2.5 decimal", "2.5 decimal", "-2 decimal", "-3 decimal", "-2 decimal"},
      {"2.4999 double", "-2.4999E0 double", "2.4999E0 double", "3.0E0 double", "2.0E0 double",
       "2.0E0 double"},
      {"-2.5 double", "2.5E0 double", "2.5E0 double", "-2.0E0 double", "-3.0E0 double",
       "-2.0E0 double"},
      {"-0.2 float", "2.0E-1 float", "2.0E-1 float", "-0.0E0 float", "-1.0E0 float",
       "-0.0E0 float"},
      {"0.49999999999999994 double", "-4.9999999999999994E-1 double",
       "4.9999999999999994E-1 double", "1.0E0 double", "0.0E0 double", "0.0E0 double"},
      {"2251799813685249.5 double", "-2.2517998136852495E15 double", "2.2517998136852495E15 double",
       "2.25179981368525E15 double", "2.251799813685249E15 double", "2.25179981368525E15 double"},
      {"9007199254740993 double", "-9.007199254740992E15 double", "9.007199254740992E15 double",
       "9.007199254740992E15 double", "9.007199254740992E15 double", "9.007199254740992E15 double"},
      {"NaN double", "NaN double", "NaN double", "NaN double", "NaN double", "NaN double"},
      {"-INF float", "INF float", "INF float", "-INF float", "-INF float", "-INF float"},
      {"P1Y duration", "-P1Y duration", "error", "error", "error", "error"},
      {"1 string", "error", "error", "error", "error", "error"},
      {"true boolean", "error", "error", "error", "error", "error"},
  };
  for (const UnaryCase& c : cases) {
    const XsdValue value = literal(c.value);
    EXPECT_EQ(shown(negate_value(value)), c.negated);
    EXPECT_EQ(shown(abs_value(value)), c.absolute);
    EXPECT_EQ(shown(ceiling_value(value)), c.ceiling);
    EXPECT_EQ(shown(floor_value(value)), c.floor);
    EXPECT_EQ(shown(round_value(value)), c.round);
  }
}

}  // namespace
}  // namespace helve::rdf
