#include "sources/rdf/xsd_decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace helve::rdf {
namespace {

Decimal decimal(std::string_view text) { return Decimal::parse(text, 2'000).value(); }

TEST(Decimal, ParsesAndWritesCanonically) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0", "0"},
      {"0.0", "0"},
      {"-0.0", "0"},
      {".0", "0"},
      {"-.0", "0"},
      {"1.", "1"},
      {"+1.0", "1"},
      {"01.50", "1.5"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.05", "0.05"},
      {"-0.001", "-0.001"},
      {"100", "100"},
      {"100.00", "100"},
      {"123.456", "123.456"},
      {"12345678901234567890.12345678901234567890", "12345678901234567890.1234567890123456789"},
      {"0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"},
      {"999999999999999999.999999999999999999", "999999999999999999.999999999999999999"},
  };
  for (const auto& [text, expected] : cases) {
    const auto value = Decimal::parse(text, 100);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(value->to_string(), expected) << text;
  }
  for (const char* text : {"", ".", "+", "-.", "+.", "1e3", "1.2.3", ".-5", ".+5", "1.-5", "1,5",
                           "INF", " 1", "0x1"}) {
    EXPECT_FALSE(Decimal::parse(text, 100).has_value()) << text;
  }
}

TEST(Decimal, ParseHonoursTheLimit) {
  const std::string nines(60, '9');
  EXPECT_TRUE(Decimal::parse(nines + ".5", 61).has_value());
  EXPECT_FALSE(Decimal::parse(nines + "." + nines, 100).has_value());
  EXPECT_FALSE(Decimal::parse("0." + std::string(100, '0') + "1", 100).has_value());
  EXPECT_TRUE(Decimal::parse("7." + std::string(1'000'000, '0'), 100).has_value());
}

TEST(Decimal, ComputesExactly) {
  EXPECT_EQ(decimal("0.1") + decimal("0.2"), decimal("0.3"));
  EXPECT_EQ(decimal("0.5") + decimal("0.5"), decimal("1"));
  EXPECT_EQ((decimal("0.5") + decimal("0.5")).scale(), 0U);
  EXPECT_EQ(decimal("1") - decimal("0.9"), decimal("0.1"));
  EXPECT_EQ(decimal("-0.25") * decimal("4"), decimal("-1"));
  EXPECT_EQ(decimal("1.1") * decimal("1.1"), decimal("1.21"));
  EXPECT_EQ(decimal("99999999999.99999999999") * decimal("99999999999.99999999999"),
            decimal("9999999999999999999998.0000000000000000000001"));
  EXPECT_EQ(-decimal("1.5"), decimal("-1.5"));
  EXPECT_EQ(decimal("-1.5").abs(), decimal("1.5"));
}

TEST(Decimal, DividesToEighteenPlacesHalfEven) {
  struct Case {
    const char* dividend;
    const char* divisor;
    const char* quotient;
  };
  const Case cases[] = {
      {"1", "3", "0.333333333333333333"},
      {"2", "3", "0.666666666666666667"},
      {"-2", "3", "-0.666666666666666667"},
      {"10", "4", "2.5"},
      {"100", "8", "12.5"},
      {"7", "7", "1"},
      {"0", "7", "0"},
      {"6", "0.003", "2000"},
      {"1", "8000000000000000000", "0.000000000000000000125"},
      {"1", "3000000000000000000000", "0.000000000000000000000333333333333333333"},
      {"100000000000000000000000000000", "3", "33333333333333333333333333333.333333333333333333"},
      {"1.0000000000000000000000000001", "1", "1.0000000000000000000000000001"},
      {"9223372036854775807", "0.000000001", "9223372036854775807000000000"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(decimal(c.dividend).divided_by(decimal(c.divisor)).to_string(), c.quotient)
        << c.dividend << " / " << c.divisor;
  }
}

TEST(Decimal, RoundsToIntegers) {
  struct Case {
    const char* value;
    int floor, ceiling, round;
  };
  const Case cases[] = {{"2.5", 2, 3, 3},        {"-2.5", -3, -2, -2}, {"2.4999", 2, 3, 2},
                        {"-2.5001", -3, -2, -3}, {"0.5", 0, 1, 1},     {"-0.5", -1, 0, 0},
                        {"3", 3, 3, 3}};
  for (const Case& c : cases) {
    EXPECT_EQ(decimal(c.value).rounded(Rounding::Floor), Integer{c.floor}) << c.value;
    EXPECT_EQ(decimal(c.value).rounded(Rounding::Ceiling), Integer{c.ceiling}) << c.value;
    EXPECT_EQ(decimal(c.value).rounded(Rounding::HalfUp), Integer{c.round}) << c.value;
  }
  EXPECT_EQ(decimal("123456789012345678901234567890.5").rounded(Rounding::HalfUp).to_string(),
            "123456789012345678901234567891");
  EXPECT_EQ(decimal("-1.29").truncated(1), decimal("-1.2"));
  EXPECT_EQ(decimal("1.2").truncated(5), decimal("1.2"));
}

TEST(Decimal, TakesDoublesExactly) {
  EXPECT_EQ(Decimal::exactly(0.1).to_string(),
            "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(Decimal::exactly(-2.5).to_string(), "-2.5");
  EXPECT_EQ(Decimal::exactly(0).to_string(), "0");
  EXPECT_EQ(Decimal::exactly(-0.0).to_string(), "0");
  EXPECT_EQ(Decimal::exactly(1e22).to_string(), "10000000000000000000000");
  EXPECT_EQ(Decimal::exactly(5e-324).scale(), 1'074U);
  EXPECT_EQ(Decimal::exactly(std::numeric_limits<double>::max()).unscaled().digits(), 309U);
}

TEST(Decimal, RoundTripsThroughDoubles) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(Decimal::exactly(value).to_double(), value);
    ASSERT_EQ(Decimal::exactly(value).compare_exactly(value), std::partial_ordering::equivalent);
    if (std::isnormal(static_cast<float>(value))) {
      ASSERT_EQ(Decimal::exactly(double{static_cast<float>(value)}).to_float(),
                static_cast<float>(value));
    }
  }
}

TEST(Decimal, RoundsToTheNearestFloatOnce) {
  // Rounded to a double first, this would be a tie and become 16777216.
  EXPECT_EQ(decimal("16777217.0000000001").to_float(), 16777218.0F);
  EXPECT_EQ(decimal("0." + std::string(400, '0') + "1").to_double(), 0.0);
  EXPECT_EQ(decimal("-1" + std::string(400, '0') + ".5").to_double(), -HUGE_VAL);
  EXPECT_EQ(decimal("1" + std::string(50, '0')).to_float(), HUGE_VALF);
  EXPECT_EQ(decimal("123456789.123456789").to_double(), 123456789.123456789);
}

TEST(Decimal, ComparesWithDoublesByExactValue) {
  EXPECT_EQ(decimal("0.1").compare_exactly(0.1), std::partial_ordering::less);
  EXPECT_EQ(decimal("0.5").compare_exactly(0.5), std::partial_ordering::equivalent);
  EXPECT_EQ(decimal("9007199254740993").compare_exactly(9007199254740992.0),
            std::partial_ordering::greater);
  EXPECT_EQ(decimal("1").compare_exactly(HUGE_VAL), std::partial_ordering::less);
  EXPECT_EQ(decimal("1" + std::string(400, '0')).compare_exactly(HUGE_VAL),
            std::partial_ordering::less);
  EXPECT_EQ(decimal("1").compare_exactly(-HUGE_VAL), std::partial_ordering::greater);
  EXPECT_EQ(decimal("1").compare_exactly(std::nan("")), std::partial_ordering::unordered);
  EXPECT_EQ(decimal("0").compare_exactly(-0.0), std::partial_ordering::equivalent);
}

TEST(Decimal, OrderIsTotalAndFitsSubtraction) {
  std::mt19937_64 random(11);
  std::vector<Decimal> values;
  for (int i = 0; i < 60; ++i) {
    Integer unscaled{static_cast<std::int64_t>(random()) >> (random() % 64)};
    if (random() % 4 == 0) unscaled = unscaled * Integer::power_of_ten(random() % 30);
    values.push_back(Decimal::scaled(unscaled, random() % 25));
  }
  for (const Decimal& a : values) {
    ASSERT_EQ(decimal(a.to_string()), a);
    for (const Decimal& b : values) {
      ASSERT_EQ(a <=> b, (a - b).sign() <=> 0);
      ASSERT_EQ(a == b, std::is_eq(a <=> b));
      ASSERT_EQ((a + b) - b, a);
      if (b.sign() != 0) {
        ASSERT_EQ((a * b).divided_by(b), a);
      }
    }
  }
}

}  // namespace
}  // namespace helve::rdf
