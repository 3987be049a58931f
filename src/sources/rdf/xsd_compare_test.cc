#include "sources/rdf/xsd_compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sources/rdf/xsd_value_testing.h"

namespace helve::rdf {
namespace {

// "<", "=", ">", "?" for unordered, "error".
std::string relation(const std::optional<std::partial_ordering>& order) {
  if (!order) return "error";
  if (std::is_lt(*order)) return "<";
  if (std::is_gt(*order)) return ">";
  return std::is_eq(*order) ? "=" : "?";
}

std::string mirrored(const std::string& relation) {
  if (relation == "<") return ">";
  return relation == ">" ? "<" : relation;
}

struct CompareCase {
  const char* a;
  const char* order;
  const char* b;
};

TEST(XsdCompare, OrdersByTheOperatorTable) {
  const CompareCase cases[] = {
      // numbers of one and of several types
      {"1 integer", "<", "2 integer"},
      {"10 integer", ">", "9 integer"},
      {"01 integer", "=", "+1 integer"},
      {"1 byte", "=", "1.0 decimal"},
      {"1 integer", "=", "1.0E0 double"},
      {"1 float", "=", "1 double"},
      {"0.1 decimal", "=", "0.1 double"},
      {"0.1 float", ">", "0.1 double"},
      {"0.1 decimal", "=", "0.1 float"},
      {"9007199254740993 integer", "=", "9007199254740992 double"},
      {"9007199254740993 integer", ">", "9007199254740992 decimal"},
      {"123456789012345678901234567890 integer", ">", "123456789012345678901234567889.9 decimal"},
      {"0 integer", "=", "-0 double"},
      {"-0 float", "=", "0 double"},
      {"NaN double", "?", "NaN double"},
      {"NaN float", "?", "1 integer"},
      {"INF double", ">", "99999999999999999999999999 integer"},
      {"-INF float", "<", "-1 decimal"},
      {"INF float", "=", "INF double"},
      // booleans and strings
      {"false boolean", "<", "true boolean"},
      {"1 boolean", "=", "true boolean"},
      {"a string", "<", "b string"},
      {"a string", "<", "aa string"},
      {"Z string", "<", "a string"},
      {"z string", "<", "ä string"},
      {"\xEF\xBF\xBD string", "<", "\xF0\x9F\x98\x80 string"},  // by code point, not UTF-16
      {"a token", "=", "a string"},
      {"a:b anyURI", "<", "a:c anyURI"},
      {"0a hexBinary", "=", "0A hexBinary"},
      {"7F hexBinary", "<", "80 hexBinary"},
      // dates and times
      {"2002-04-02T12:00:00Z dateTime", "=", "2002-04-02T12:00:00+00:00 dateTime"},
      {"2002-04-02T12:00:00 dateTime", "=", "2002-04-02T12:00:00Z dateTime"},
      {"2002-04-02T12:00:00Z dateTimeStamp", "<", "2002-04-02T12:00:01 dateTime"},
      {"2004-12-25Z date", "<", "2004-12-25-05:00 date"},
      {"2004-12-25-12:00 date", "=", "2004-12-26+12:00 date"},
      {"08:00:00+09:00 time", "<", "17:00:00-06:00 time"},
      {"21:30:00+10:30 time", "=", "06:00:00-05:00 time"},
      {"24:00:00 time", "=", "00:00:00 time"},
      {"2004 gYear", "<", "2005 gYear"},
      {"2005-01-14:00 gYearMonth", ">", "2005-01Z gYearMonth"},
      {"--02 gMonth", "<", "--11 gMonth"},
      {"--02-28 gMonthDay", "<", "--02-29 gMonthDay"},
      {"---01 gDay", "<", "---02 gDay"},
      // durations
      {"P1Y yearMonthDuration", "=", "P12M yearMonthDuration"},
      {"P11M yearMonthDuration", "<", "P1Y yearMonthDuration"},
      {"PT23H dayTimeDuration", "<", "P1D dayTimeDuration"},
      {"-PT0.5S dayTimeDuration", "<", "-PT0.4S dayTimeDuration"},
      {"PT1.5S dayTimeDuration", ">", "PT1S dayTimeDuration"},
      // type errors
      {"P1Y duration", "error", "P2Y duration"},
      {"P1Y yearMonthDuration", "error", "P1D dayTimeDuration"},
      {"1 integer", "error", "1 string"},
      {"1 integer", "error", "true boolean"},
      {"a string", "error", "a anyURI"},
      {"2004-12-25 date", "error", "2004-12-25T00:00:00 dateTime"},
      {"2004 gYear", "error", "2004 integer"},
      {"AA hexBinary", "error", "qg== base64Binary"},
  };
  for (const CompareCase& c : cases) {
    const XsdValue a = literal(c.a);
    const XsdValue b = literal(c.b);
    EXPECT_EQ(relation(compare_values(a, b)), c.order) << c.a << " / " << c.b;
    EXPECT_EQ(relation(compare_values(b, a)), mirrored(c.order)) << c.b << " / " << c.a;
  }
}

TEST(XsdCompare, EqualityKnowsMorePairs) {
  const auto equal = [](const char* a, const char* b) {
    return equal_values(literal(a), literal(b));
  };
  EXPECT_EQ(equal("P1Y duration", "P12M yearMonthDuration"), true);
  EXPECT_EQ(equal("PT0S dayTimeDuration", "P0M yearMonthDuration"), true);
  EXPECT_EQ(equal("P1M duration", "P30D duration"), false);
  EXPECT_EQ(equal("P1D duration", "PT24H dayTimeDuration"), true);
  EXPECT_EQ(equal("NaN double", "NaN double"), false);
  EXPECT_EQ(equal("1 integer", "1.0 decimal"), true);
  EXPECT_EQ(equal("a string", "b string"), false);
  EXPECT_EQ(equal("a string", "1 integer"), std::nullopt);
  EXPECT_EQ(equal("P1D duration", "1 integer"), std::nullopt);
}

TEST(XsdCompare, ImplicitTimezoneIsTheCallers) {
  XsdContext context;
  context.implicit_timezone = -300;
  const XsdValue local = literal("2002-04-02T12:00:00 dateTime");
  EXPECT_EQ(relation(compare_values(local, literal("2002-04-02T17:00:00Z dateTime"), context)),
            "=");
  EXPECT_EQ(relation(compare_values(local, literal("2002-04-02T12:00:00Z dateTime"), context)),
            ">");
}

TEST(XsdCompare, StrictOrderLeavesOpenWhatXsdDoes) {
  const CompareCase cases[] = {
      {"2000-01-16T12:00:00 dateTime", "?", "2000-01-16T12:00:00Z dateTime"},
      {"2000-01-15T12:00:00 dateTime", "<", "2000-01-16T12:00:00Z dateTime"},
      {"2000-01-01 date", "?", "2000-01-01Z date"},
      {"2000-01-01 date", "<", "2000-01-02 date"},
      {"P1M duration", "?", "P30D dayTimeDuration"},
      {"P1M yearMonthDuration", "<", "P32D duration"},
      {"1 integer", "<", "1.5 decimal"},
      {"1 integer", "error", "1 double"},
      {"1 float", "error", "1 double"},
      {"a token", "<", "b string"},
      {"true boolean", ">", "false boolean"},
      {"2000-01-01 date", "error", "2000 gYear"},
  };
  for (const CompareCase& c : cases) {
    const XsdValue a = literal(c.a);
    const XsdValue b = literal(c.b);
    EXPECT_EQ(relation(compare_values_strictly(a, b)), c.order) << c.a << " / " << c.b;
    EXPECT_EQ(relation(compare_values_strictly(b, a)), mirrored(c.order)) << c.b << " / " << c.a;
  }
}

std::vector<XsdValue> random_numbers(std::size_t count) {
  std::mt19937_64 random(42);
  std::vector<XsdValue> numbers = {literal("NaN double"),
                                   literal("NaN float"),
                                   literal("INF double"),
                                   literal("-INF float"),
                                   literal("-0 double"),
                                   literal("0 integer"),
                                   literal("0.1 decimal"),
                                   literal("0.1 double"),
                                   literal("0.1 float"),
                                   literal("9007199254740992 double"),
                                   literal("9007199254740993 integer"),
                                   literal("9007199254740992 integer")};
  while (numbers.size() < count) {
    const auto whole = static_cast<std::int64_t>(random()) >> (random() % 64);
    switch (random() % 5) {
      case 0:
        numbers.push_back(XsdValue::integer(whole));
        break;
      case 1:
        numbers.push_back(XsdValue::integer(Integer{whole} * Integer{whole}));
        break;
      case 2:
        numbers.push_back(XsdValue::decimal(Decimal::scaled(whole, random() % 20)));
        break;
      case 3:
        numbers.push_back(XsdValue::single(static_cast<float>(whole) / 16.0F));
        break;
      default:
        numbers.push_back(XsdValue::real(static_cast<double>(whole)));
    }
  }
  return numbers;
}

TEST(XsdCompare, OrderOfNumbersIsAntisymmetricAndTransitive) {
  const std::vector<XsdValue> numbers = random_numbers(70);
  for (const XsdValue& a : numbers) {
    EXPECT_TRUE(std::is_eq(order_numbers(a, a))) << shown(a);
    for (const XsdValue& b : numbers) {
      const std::weak_ordering ab = order_numbers(a, b);
      ASSERT_TRUE(std::is_lt(order_numbers(b, a)) == std::is_gt(ab)) << shown(a) << " " << shown(b);
      for (const XsdValue& c : numbers) {
        if (std::is_lteq(ab) && std::is_lteq(order_numbers(b, c))) {
          ASSERT_TRUE(std::is_lteq(order_numbers(a, c)))
              << shown(a) << " " << shown(b) << " " << shown(c);
        }
      }
    }
  }
}

TEST(XsdCompare, OrderOfNumbersSeesExactValues) {
  EXPECT_TRUE(std::is_lt(order_numbers(literal("0.1 decimal"), literal("0.1 double"))));
  EXPECT_TRUE(std::is_gt(
      order_numbers(literal("9007199254740993 integer"), literal("9007199254740992 double"))));
  EXPECT_TRUE(std::is_lt(order_numbers(literal("NaN float"), literal("-INF double"))));
  EXPECT_TRUE(std::is_eq(order_numbers(literal("NaN float"), literal("NaN double"))));
  EXPECT_TRUE(std::is_eq(order_numbers(literal("0.5 decimal"), literal("0.5 float"))));
}

TEST(XsdCompare, EffectiveBooleanValues) {
  const auto of = [](const char* text) { return effective_boolean_value(literal(text)); };
  EXPECT_EQ(of("true boolean"), true);
  EXPECT_EQ(of("0 boolean"), false);
  EXPECT_EQ(of("a string"), true);
  EXPECT_EQ(of("false token"), true);
  EXPECT_EQ(of(" string"), false);
  EXPECT_EQ(of("0 integer"), false);
  EXPECT_EQ(of("-1 byte"), true);
  EXPECT_EQ(of("0.00 decimal"), false);
  EXPECT_EQ(of("0.01 decimal"), true);
  EXPECT_EQ(of("-0 double"), false);
  EXPECT_EQ(of("NaN float"), false);
  EXPECT_EQ(of("1e-30 float"), true);
  EXPECT_EQ(of("INF double"), true);
  EXPECT_EQ(of("2024-01-01 date"), std::nullopt);
  EXPECT_EQ(of("a:b anyURI"), std::nullopt);
  EXPECT_EQ(effective_boolean_value("abc", XsdType::Integer), false);
  EXPECT_EQ(effective_boolean_value("yes", XsdType::Boolean), false);
  EXPECT_EQ(effective_boolean_value("7", XsdType::Integer), true);
  EXPECT_EQ(effective_boolean_value("noon", XsdType::Time), std::nullopt);
}

}  // namespace
}  // namespace helve::rdf
