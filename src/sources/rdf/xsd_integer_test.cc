#include "sources/rdf/xsd_integer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace helve::rdf {
namespace {

constexpr std::size_t kDigitsMax = 100;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Integer integer(std::string_view text) { return Integer::parse(text, kDigitsMax).value(); }

TEST(Integer, ParsesAndWrites) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0", "0"},
      {"-0", "0"},
      {"+7", "7"},
      {"007", "7"},
      {"-12", "-12"},
      {"999999999999999999", "999999999999999999"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854775809"},
      {"0000000000000000000000000000001", "1"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
  };
  for (const auto& [text, expected] : cases) {
    const auto value = Integer::parse(text, kDigitsMax);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(value->to_string(), expected);
  }
  for (const char* text : {"", "+", "-", "1.0", "1e3", " 1", "1 ", "--1", "+-1", "a", "1a", "٣"}) {
    EXPECT_FALSE(Integer::parse(text, kDigitsMax).has_value()) << text;
  }
}

TEST(Integer, ParseHonoursTheLimit) {
  EXPECT_TRUE(Integer::parse(std::string(100, '9'), 100).has_value());
  EXPECT_FALSE(Integer::parse(std::string(101, '9'), 100).has_value());
  EXPECT_TRUE(Integer::parse(std::string(1'000'000, '0') + "5", 100).has_value());
  EXPECT_FALSE(Integer::parse(std::string(5'000'000, '7'), 100).has_value());
}

TEST(Integer, StaysSmallWhereItFits) {
  EXPECT_TRUE(integer("9223372036854775807").is_small());
  EXPECT_TRUE(integer("-9223372036854775808").is_small());
  EXPECT_FALSE(integer("9223372036854775808").is_small());
  const Integer beyond = Integer{kMax} + Integer{1};
  EXPECT_FALSE(beyond.is_small());
  EXPECT_TRUE((beyond - Integer{1}).is_small());
  EXPECT_EQ(beyond - Integer{1}, Integer{kMax});
  EXPECT_TRUE((beyond * Integer{0}).is_small());
  EXPECT_EQ((-Integer{kMin}).to_string(), "9223372036854775808");
  EXPECT_EQ(-(-Integer{kMin}), Integer{kMin});
  EXPECT_EQ(Integer{kMin}.abs().to_string(), "9223372036854775808");
}

TEST(Integer, ComputesLikeWideIntegers) {
  __extension__ using Wide = __int128;
  std::mt19937_64 random(20240607);
  const std::vector<std::int64_t> edges = {0, 1, -1, 2, 10, kMax, kMin, kMax - 1, kMin + 1};
  const auto pick = [&] {
    if (random() % 3 == 0) return edges[random() % edges.size()];
    return static_cast<std::int64_t>(random()) >> (random() % 64);
  };
  const auto wide_text = [](Wide value) {
    const bool negative = value < 0;
    std::string text;
    do {
      const int digit = static_cast<int>(value % 10);
      text.insert(text.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
      value /= 10;
    } while (value != 0);
    return negative ? "-" + text : text;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t a = pick();
    const std::int64_t b = pick();
    ASSERT_EQ((Integer{a} + Integer{b}).to_string(), wide_text(Wide{a} + b));
    ASSERT_EQ((Integer{a} - Integer{b}).to_string(), wide_text(Wide{a} - b));
    ASSERT_EQ((Integer{a} * Integer{b}).to_string(), wide_text(Wide{a} * b));
    ASSERT_EQ(Integer{a} <=> Integer{b}, a <=> b);
    const Integer product = Integer{a} * Integer{b};
    if (b != 0) {
      ASSERT_EQ(product.divided_by(Integer{b}, Rounding::Floor), Integer{a});
    }
    ASSERT_EQ(integer(product.to_string()), product);
  }
}

TEST(Integer, RoundsQuotients) {
  struct Case {
    int dividend;
    int divisor;
    int truncate, floor, ceiling, half_up, half_even;
  };
  const Case cases[] = {
      {7, 2, 3, 3, 4, 4, 4},       {5, 2, 2, 2, 3, 3, 2},       {-5, 2, -2, -3, -2, -2, -2},
      {-7, 2, -3, -4, -3, -3, -4}, {7, -2, -3, -4, -3, -3, -4}, {-7, -2, 3, 3, 4, 4, 4},
      {7, 3, 2, 2, 3, 2, 2},       {8, 3, 2, 2, 3, 3, 3},       {-8, 3, -2, -3, -2, -3, -3},
      {6, 3, 2, 2, 2, 2, 2},       {1, 2, 0, 0, 1, 1, 0},       {-1, 2, 0, -1, 0, 0, 0},
  };
  const Integer big = Integer::power_of_ten(30);
  for (const Case& c : cases) {
    // The same quotient once with small and once with large numbers.
    for (const Integer& scale : {Integer{1}, big}) {
      const Integer dividend = Integer{c.dividend} * scale;
      const Integer divisor = Integer{c.divisor} * scale;
      EXPECT_EQ(dividend.divided_by(divisor, Rounding::Truncate), Integer{c.truncate});
      EXPECT_EQ(dividend.divided_by(divisor, Rounding::Floor), Integer{c.floor});
      EXPECT_EQ(dividend.divided_by(divisor, Rounding::Ceiling), Integer{c.ceiling});
      EXPECT_EQ(dividend.divided_by(divisor, Rounding::HalfUp), Integer{c.half_up});
      EXPECT_EQ(dividend.divided_by(divisor, Rounding::HalfEven), Integer{c.half_even});
    }
  }
  EXPECT_EQ(Integer{kMin}.divided_by(Integer{-1}, Rounding::Floor).to_string(),
            "9223372036854775808");
}

TEST(Integer, OrdersAcrossSizes) {
  const std::vector<Integer> ascending = {
      -Integer::power_of_ten(40),
      -Integer::power_of_ten(20),
      Integer{kMin},
      Integer{-1},
      Integer{},
      Integer{1},
      Integer{kMax},
      Integer{kMax} + 1,
      Integer::power_of_ten(19),
      Integer::power_of_ten(20),
  };
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t k = 0; k < ascending.size(); ++k) {
      EXPECT_EQ(ascending[i] <=> ascending[k], i <=> k);
    }
  }
}

TEST(Integer, ConvertsToAndFromDoubles) {
  EXPECT_EQ(Integer::truncated(3.99), Integer{3});
  EXPECT_EQ(Integer::truncated(-3.99), Integer{-3});
  EXPECT_EQ(Integer::truncated(1e18).to_string(), "1000000000000000000");
  EXPECT_EQ(Integer::truncated(1e23).to_string(), "99999999999999991611392");
  EXPECT_EQ(Integer::truncated(-9223372036854775808.0), Integer{kMin});
  EXPECT_EQ(Integer::truncated(9223372036854775808.0).to_string(), "9223372036854775808");
  EXPECT_EQ(Integer::power_of_ten(23).to_double(), 1e23);
  EXPECT_EQ((-Integer::power_of_ten(300)).to_double(), -1e300);
  EXPECT_EQ(Integer::power_of_ten(400).to_double(), HUGE_VAL);
  EXPECT_EQ((-Integer::power_of_ten(400)).to_double(), -HUGE_VAL);
  EXPECT_EQ(Integer{9007199254740993}.to_double(), 9007199254740992.0);  // half to even
}

TEST(Integer, StripsTrailingZeros) {
  Integer small{120'000};
  EXPECT_EQ(small.strip_trailing_zeros(2), 2U);
  EXPECT_EQ(small, Integer{1'200});
  EXPECT_EQ(small.strip_trailing_zeros(9), 2U);
  EXPECT_EQ(small, Integer{12});
  Integer big = Integer{-37} * Integer::power_of_ten(5'000);
  EXPECT_EQ(big.strip_trailing_zeros(4'000), 4'000U);
  EXPECT_EQ(big.strip_trailing_zeros(4'000), 1'000U);
  EXPECT_EQ(big, Integer{-37});
  Integer zero;
  EXPECT_EQ(zero.strip_trailing_zeros(5), 0U);
}

TEST(Integer, CopiesAreIndependentAndMovedFromCanBeAssigned) {
  Integer a = Integer::power_of_ten(30);
  const Integer b = a;
  EXPECT_EQ(a.strip_trailing_zeros(30), 30U);
  EXPECT_EQ(b, Integer::power_of_ten(30));
  Integer c = std::move(a);
  a = b;
  EXPECT_EQ(a, b);
  EXPECT_EQ(c, Integer{1});
}

TEST(Integer, CountsDigits) {
  EXPECT_EQ(Integer{0}.digits(), 1U);
  EXPECT_EQ(Integer{-999}.digits(), 3U);
  EXPECT_EQ(Integer{1000}.digits(), 4U);
  EXPECT_EQ(Integer{kMin}.digits(), 19U);
  const std::size_t digits = Integer::power_of_ten(99).digits();
  EXPECT_GE(digits, 100U);
  EXPECT_LE(digits, 101U);
}

}  // namespace
}  // namespace helve::rdf
