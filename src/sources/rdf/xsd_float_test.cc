#include "sources/rdf/xsd_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace helve::rdf {
namespace {

TEST(XsdFloat, WritesDoublesCanonically) {
  struct Case {
    double value;
    const char* canonical;
    const char* as_string;
  };
  const Case cases[] = {
      {0, "0.0E0", "0"},
      {-0.0, "-0.0E0", "-0"},
      {1, "1.0E0", "1"},
      {-1.5, "-1.5E0", "-1.5"},
      {100, "1.0E2", "100"},
      {0.1, "1.0E-1", "0.1"},
      {123456.789, "1.23456789E5", "123456.789"},
      {999999.5, "9.999995E5", "999999.5"},
      {1e6, "1.0E6", "1.0E6"},
      {0.000001, "1.0E-6", "0.000001"},
      {0.00000099, "9.9E-7", "9.9E-7"},
      {1e100, "1.0E100", "1.0E100"},
      {1.7976931348623157e308, "1.7976931348623157E308", "1.7976931348623157E308"},
      {5e-324, "5.0E-324", "5.0E-324"},
      {HUGE_VAL, "INF", "INF"},
      {-HUGE_VAL, "-INF", "-INF"},
      {std::nan(""), "NaN", "NaN"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(canonical_double(c.value), c.canonical);
    EXPECT_EQ(cast_double_to_string(c.value), c.as_string);
  }
  EXPECT_EQ(canonical_float(0.1F), "1.0E-1");
  EXPECT_EQ(canonical_float(16777216.0F), "1.6777216E7");
  EXPECT_EQ(canonical_float(1e-45F), "1.0E-45");
  EXPECT_EQ(cast_float_to_string(0.1F), "0.1");
  EXPECT_EQ(cast_float_to_string(1e-6F), "0.000001");
}

TEST(XsdFloat, ParsesTheLexicalSpace) {
  struct Case {
    const char* text;
    double value;
  };
  const Case cases[] = {
      {"0", 0},
      {"1", 1},
      {"+1", 1},
      {"-1.5", -1.5},
      {"1.", 1},
      {".5", 0.5},
      {"-.5e1", -5},
      {"1E0", 1},
      {"1e+3", 1000},
      {"1e-3", 0.001},
      {"007.500", 7.5},
      {"0E1", 0},
      {"1e400", HUGE_VAL},
      {"-1e400", -HUGE_VAL},
      {"1e-400", 0},
      {"INF", HUGE_VAL},
      {"+INF", HUGE_VAL},
      {"-INF", -HUGE_VAL},
      {"0.1", 0.1},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
      {"4.9e-324", 5e-324},
      {"1e99999999999999999999", HUGE_VAL},
      {"1e-99999999999999999999", 0},
      {"0e99999999999999999999", 0},
  };
  for (const Case& c : cases) {
    const auto value = parse_xsd_double(c.text);
    ASSERT_TRUE(value.has_value()) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
  }
  EXPECT_TRUE(std::isnan(parse_xsd_double("NaN").value()));
  EXPECT_TRUE(std::signbit(parse_xsd_double("-0").value()));
  EXPECT_TRUE(std::signbit(parse_xsd_double("-1e-400").value()));
  for (const char* text :
       {"",         "+",        ".",     "e5", "1e",    "1e+", "inf", "nan", "+NaN",  "-NaN",
        "INFINITY", "Infinity", "0x1p3", "1f", "1.2.3", " 1",  "1 ",  "++1", "1e1.5", "1_0"}) {
    EXPECT_FALSE(parse_xsd_double(text).has_value()) << text;
    EXPECT_FALSE(parse_xsd_float(text).has_value()) << text;
  }
}

TEST(XsdFloat, LongTextsOverflowAndUnderflowRightly) {
  const std::string zeros(500, '0');
  EXPECT_EQ(parse_xsd_double("1" + zeros), HUGE_VAL);
  EXPECT_EQ(parse_xsd_double("0." + zeros + "1"), 0.0);
  EXPECT_EQ(parse_xsd_double("1" + zeros + "e-1000"), 0.0);
  EXPECT_EQ(parse_xsd_double("0." + zeros + "1e1000"), HUGE_VAL);
  EXPECT_EQ(parse_xsd_double("1" + zeros + "e-500"), 1.0);
  EXPECT_EQ(parse_xsd_double("0." + zeros + "1e501"), 1.0);
  EXPECT_EQ(parse_xsd_float("1e39"), HUGE_VALF);
  EXPECT_EQ(parse_xsd_float("1e-60"), 0.0F);
  EXPECT_EQ(parse_xsd_float("16777217.0000000001"), 16777218.0F);  // rounded once
}

TEST(XsdFloat, CanonicalFormsReadBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    ASSERT_EQ(parse_xsd_double(canonical_double(value)), value);
    ASSERT_EQ(parse_xsd_double(cast_double_to_string(value)), value);
    float small = 0;
    std::memcpy(&small, &bits, sizeof(small));
    if (std::isnan(small)) continue;
    ASSERT_EQ(parse_xsd_float(canonical_float(small)), small);
    ASSERT_EQ(parse_xsd_float(cast_float_to_string(small)), small);
  }
}

}  // namespace
}  // namespace helve::rdf
