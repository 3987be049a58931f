#include "sources/rdf/xsd_duration.h"

#include <gtest/gtest.h>

#include <string>

#include "sources/rdf/xsd_timeline.h"

namespace helve::rdf {
namespace {

constexpr std::int64_t kDay = 86'400;

TEST(XsdDuration, ParsesAndWritesCanonically) {
  struct Case {
    const char* text;
    XsdDuration value;
    const char* canonical;
  };
  const Case cases[] = {
      {"P1Y", {12, 0, 0}, "P1Y"},
      {"P14M", {14, 0, 0}, "P1Y2M"},
      {"P0Y", {}, "PT0S"},
      {"-P0D", {}, "PT0S"},
      {"P1D", {0, kDay, 0}, "P1D"},
      {"PT36H", {0, 129'600, 0}, "P1DT12H"},
      {"PT90S", {0, 90, 0}, "PT1M30S"},
      {"PT60M", {0, 3'600, 0}, "PT1H"},
      {"PT1.5S", {0, 1, 500'000'000'000'000'000}, "PT1.5S"},
      {"-PT0.001S", {0, 0, -1'000'000'000'000'000}, "-PT0.001S"},
      {"PT0.0000000000000000019S", {0, 0, 1}, "PT0.000000000000000001S"},
      {"P1Y2M3DT4H5M6.7S", {14, 273'906, 700'000'000'000'000'000}, "P1Y2M3DT4H5M6.7S"},
      {"-P1Y2M3DT4H5M6S", {-14, -(273'906), 0}, "-P1Y2M3DT4H5M6S"},
      {"P0000001Y00M", {12, 0, 0}, "P1Y"},
      {"PT9223372036854775807S", {0, 9'223'372'036'854'775'807, 0}, "P106751991167300DT15H30M7S"},
  };
  for (const Case& c : cases) {
    const auto value = parse_duration(c.text, XsdType::Duration);
    ASSERT_TRUE(value.has_value()) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
    EXPECT_EQ(canonical_duration(*value, XsdType::Duration), c.canonical);
    EXPECT_EQ(parse_duration(c.canonical, XsdType::Duration), value);
  }
}

TEST(XsdDuration, RejectsOtherTexts) {
  for (const char* text : {"",
                           "P",
                           "-P",
                           "PT",
                           "P1YT",
                           "P1",
                           "1Y",
                           "P1S",
                           "PT1D",
                           "PT1Y",
                           "P1M1Y",
                           "P1Y1Y",
                           "P-1Y",
                           "+P1Y",
                           "P1.5Y",
                           "PT1.S",
                           "PT.5S",
                           "PT1.5H",
                           "P1DT",
                           "PT1S1S",
                           "PT1SX",
                           "P 1Y",
                           "P1y",
                           "P1YT1H1D",
                           "P1DT1HT1M",
                           "PT99999999999999999999S",
                           "P999999999999999999Y"}) {
    EXPECT_FALSE(parse_duration(text, XsdType::Duration).has_value()) << text;
  }
}

TEST(XsdDuration, OrderedKindsAllowTheirPartsOnly) {
  EXPECT_TRUE(parse_duration("P1Y2M", XsdType::YearMonthDuration).has_value());
  EXPECT_FALSE(parse_duration("P1D", XsdType::YearMonthDuration).has_value());
  EXPECT_FALSE(parse_duration("P1YT1H", XsdType::YearMonthDuration).has_value());
  EXPECT_TRUE(parse_duration("P1DT1M", XsdType::DayTimeDuration).has_value());
  EXPECT_FALSE(parse_duration("P1M", XsdType::DayTimeDuration).has_value());
  EXPECT_EQ(canonical_duration({}, XsdType::YearMonthDuration), "P0M");
  EXPECT_EQ(canonical_duration({}, XsdType::DayTimeDuration), "PT0S");
}

TEST(XsdDuration, AddsAndNegates) {
  EXPECT_EQ(add_durations({0, 1, 600'000'000'000'000'000}, {0, 1, 700'000'000'000'000'000}),
            (XsdDuration{0, 3, 300'000'000'000'000'000}));
  EXPECT_EQ(add_durations({0, 1, 0}, {0, -2, -500'000'000'000'000'000}),
            (XsdDuration{0, -1, -500'000'000'000'000'000}));
  EXPECT_EQ(add_durations({1, 0, 0}, {0, -1, 0}), std::nullopt);  // the signs differ
  EXPECT_EQ(add_durations({0, INT64_MAX, 0}, {0, 1, 0}), std::nullopt);
  EXPECT_EQ(add_durations({INT64_MAX, 0, 0}, {1, 0, 0}), std::nullopt);
  EXPECT_EQ(negate_duration({0, INT64_MIN, 0}), std::nullopt);
  EXPECT_EQ(negate_duration({1, 2, 3}), (XsdDuration{-1, -2, -3}));
}

TEST(XsdDuration, PartialOrderOfXsd) {
  const auto compare = [](const char* a, const char* b) {
    return compare_durations_strictly(parse_duration(a, XsdType::Duration).value(),
                                      parse_duration(b, XsdType::Duration).value());
  };
  using std::partial_ordering;
  EXPECT_EQ(compare("P1Y", "P364D"), partial_ordering::greater);
  EXPECT_EQ(compare("P1Y", "P365D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P1Y", "P366D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P1Y", "P367D"), partial_ordering::less);
  EXPECT_EQ(compare("P1M", "P27D"), partial_ordering::greater);
  EXPECT_EQ(compare("P1M", "P28D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P1M", "P31D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P1M", "P32D"), partial_ordering::less);
  EXPECT_EQ(compare("P5M", "P149D"), partial_ordering::greater);
  EXPECT_EQ(compare("P5M", "P150D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P5M", "P153D"), partial_ordering::unordered);
  EXPECT_EQ(compare("P5M", "P154D"), partial_ordering::less);
  EXPECT_EQ(compare("P1D", "PT24H"), partial_ordering::equivalent);
}

}  // namespace
}  // namespace helve::rdf
