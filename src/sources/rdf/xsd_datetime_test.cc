// Tests of xsd_datetime.h and xsd_timeline.h.
#include "sources/rdf/xsd_datetime.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "sources/rdf/xsd_timeline.h"

namespace helve::rdf {
namespace {

XsdDateTime moment(std::string_view text, XsdType type = XsdType::DateTime) {
  const auto value = parse_datetime(text, type);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(XsdDateTime{});
}

std::string shown(const std::optional<XsdDateTime>& value, XsdType type = XsdType::DateTime) {
  return value ? canonical_datetime(*value, type) : "error";
}

TEST(XsdDateTime, ParsesAndWritesCanonically) {
  struct Case {
    XsdType type;
    const char* text;
    const char* canonical;
  };
  const Case cases[] = {
      {XsdType::DateTime, "2024-02-29T23:59:59", "2024-02-29T23:59:59"},
      {XsdType::DateTime, "2024-02-29T23:59:59.120Z", "2024-02-29T23:59:59.12Z"},
      {XsdType::DateTime, "2024-01-01T00:00:00+00:00", "2024-01-01T00:00:00Z"},
      {XsdType::DateTime, "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"},
      {XsdType::DateTime, "2024-01-01T12:00:00-05:30", "2024-01-01T12:00:00-05:30"},
      {XsdType::DateTime, "2024-01-01T12:00:00+14:00", "2024-01-01T12:00:00+14:00"},
      {XsdType::DateTime, "1999-12-31T24:00:00", "2000-01-01T00:00:00"},
      {XsdType::DateTime, "2024-02-28T24:00:00.000Z", "2024-02-29T00:00:00Z"},
      {XsdType::DateTime, "0000-01-01T00:00:00", "0000-01-01T00:00:00"},
      {XsdType::DateTime, "-0001-12-31T00:00:00", "-0001-12-31T00:00:00"},
      {XsdType::DateTime, "-0001-12-31T24:00:00", "0000-01-01T00:00:00"},
      {XsdType::DateTime, "12345-01-01T00:00:00", "12345-01-01T00:00:00"},
      {XsdType::DateTime, "9223372036854775807-12-31T23:59:59",
       "9223372036854775807-12-31T23:59:59"},
      {XsdType::DateTime, "-9223372036854775808-01-01T00:00:00",
       "-9223372036854775808-01-01T00:00:00"},
      {XsdType::DateTime, "2024-01-01T00:00:00.000000000000000001",
       "2024-01-01T00:00:00.000000000000000001"},
      {XsdType::DateTime, "2024-01-01T00:00:00.1234567890123456789",
       "2024-01-01T00:00:00.123456789012345678"},
      {XsdType::DateTimeStamp, "2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"},
      {XsdType::Date, "2024-01-31", "2024-01-31"},
      {XsdType::Date, "2024-01-31+02:00", "2024-01-31+02:00"},
      {XsdType::Date, "-0044-03-15Z", "-0044-03-15Z"},
      {XsdType::Time, "08:09:10.5", "08:09:10.5"},
      {XsdType::Time, "24:00:00", "00:00:00"},
      {XsdType::Time, "00:00:00-14:00", "00:00:00-14:00"},
      {XsdType::GYear, "2024", "2024"},
      {XsdType::GYear, "-0001Z", "-0001Z"},
      {XsdType::GYear, "123456", "123456"},
      {XsdType::GYearMonth, "2024-05", "2024-05"},
      {XsdType::GYearMonth, "2024-05-05:00", "2024-05-05:00"},
      {XsdType::GMonth, "--05", "--05"},
      {XsdType::GMonth, "--05+01:00", "--05+01:00"},
      {XsdType::GMonthDay, "--02-29", "--02-29"},
      {XsdType::GMonthDay, "--12-31Z", "--12-31Z"},
      {XsdType::GDay, "---31", "---31"},
      {XsdType::GDay, "---01-02:00", "---01-02:00"},
  };
  for (const Case& c : cases) {
    const auto value = parse_datetime(c.text, c.type);
    ASSERT_TRUE(value.has_value()) << c.text;
    EXPECT_EQ(canonical_datetime(*value, c.type), c.canonical) << c.text;
    EXPECT_EQ(parse_datetime(c.canonical, c.type), value) << c.text;
    EXPECT_EQ(reduced_to(*value, c.type), *value) << c.text;
  }
}

TEST(XsdDateTime, RejectsOtherTexts) {
  const std::pair<XsdType, const char*> cases[] = {
      {XsdType::DateTime, ""},
      {XsdType::DateTime, "2024-01-01"},
      {XsdType::DateTime, "2024-01-01T"},
      {XsdType::DateTime, "2024-01-01 00:00:00"},
      {XsdType::DateTime, "2024-01-01T00:00"},
      {XsdType::DateTime, "2024-01-01T00:00:00."},
      {XsdType::DateTime, "2024-01-01T24:00:01"},
      {XsdType::DateTime, "2024-01-01T24:01:00"},
      {XsdType::DateTime, "2024-01-01T24:00:00.1"},
      {XsdType::DateTime, "2024-01-01T25:00:00"},
      {XsdType::DateTime, "2024-01-01T00:60:00"},
      {XsdType::DateTime, "2024-01-01T00:00:60"},
      {XsdType::DateTime, "2023-02-29T00:00:00"},
      {XsdType::DateTime, "1900-02-29T00:00:00"},
      {XsdType::DateTime, "2024-04-31T00:00:00"},
      {XsdType::DateTime, "2024-00-01T00:00:00"},
      {XsdType::DateTime, "2024-13-01T00:00:00"},
      {XsdType::DateTime, "2024-01-00T00:00:00"},
      {XsdType::DateTime, "24-01-01T00:00:00"},
      {XsdType::DateTime, "02024-01-01T00:00:00"},
      {XsdType::DateTime, "+2024-01-01T00:00:00"},
      {XsdType::DateTime, "2024-1-1T0:0:0"},
      {XsdType::DateTime, "2024-01-01T00:00:00z"},
      {XsdType::DateTime, "2024-01-01T00:00:00+14:01"},
      {XsdType::DateTime, "2024-01-01T00:00:00+15:00"},
      {XsdType::DateTime, "2024-01-01T00:00:00+1:00"},
      {XsdType::DateTime, "2024-01-01T00:00:00+01:60"},
      {XsdType::DateTime, "2024-01-01T00:00:00Z "},
      {XsdType::DateTime, "9223372036854775808-01-01T00:00:00"},
      {XsdType::DateTime, "9223372036854775807-12-31T24:00:00"},
      {XsdType::DateTimeStamp, "2024-01-01T00:00:00"},
      {XsdType::Date, "2024-01-01T00:00:00"},
      {XsdType::Date, "2023-02-29"},
      {XsdType::Time, "T00:00:00"},
      {XsdType::Time, "00:00"},
      {XsdType::GYear, "24"},
      {XsdType::GYear, "2024-01"},
      {XsdType::GYearMonth, "2024"},
      {XsdType::GYearMonth, "2024-13"},
      {XsdType::GMonth, "-05"},
      {XsdType::GMonth, "--05--"},
      {XsdType::GMonthDay, "--02-30"},
      {XsdType::GMonthDay, "--04-31"},
      {XsdType::GDay, "--31"},
      {XsdType::GDay, "---32"},
      {XsdType::GDay, "---00"},
  };
  for (const auto& [type, text] : cases) {
    EXPECT_FALSE(parse_datetime(text, type).has_value()) << text;
  }
}

TEST(XsdDateTime, ComparesInstants) {
  using std::strong_ordering;
  const auto compare = [](const char* a, const char* b, std::int16_t implicit) {
    return compare_instants(moment(a), moment(b), implicit);
  };
  EXPECT_EQ(compare("2002-04-02T12:00:00-01:00", "2002-04-02T17:00:00+04:00", 0),
            strong_ordering::equal);
  EXPECT_EQ(compare("2002-04-02T23:00:00-04:00", "2002-04-03T02:59:59.9Z", 0),
            strong_ordering::greater);
  EXPECT_EQ(compare("2002-04-02T12:00:00", "2002-04-02T12:00:00Z", 0), strong_ordering::equal);
  EXPECT_EQ(compare("2002-04-02T12:00:00", "2002-04-02T12:00:00Z", -60), strong_ordering::greater);
  EXPECT_EQ(compare("2002-04-02T12:00:00", "2002-04-02T12:00:00Z", 60), strong_ordering::less);
  EXPECT_EQ(compare("-0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", 0), strong_ordering::less);
  EXPECT_EQ(
      compare("9223372036854775807-12-31T23:00:00-14:00", "9223372036854775807-12-31T23:00:00Z", 0),
      strong_ordering::greater);
}

TEST(XsdDateTime, StrictOrderIsPartial) {
  using std::partial_ordering;
  const auto compare = [](const char* a, const char* b) {
    return compare_instants_strictly(moment(a), moment(b));
  };
  EXPECT_EQ(compare("2000-01-15T00:00:00", "2000-02-15T00:00:00"), partial_ordering::less);
  EXPECT_EQ(compare("2000-01-15T12:00:00", "2000-01-16T12:00:00Z"), partial_ordering::less);
  EXPECT_EQ(compare("2000-01-16T12:00:00Z", "2000-01-15T12:00:00"), partial_ordering::greater);
  EXPECT_EQ(compare("2000-01-01T12:00:00", "1999-12-31T23:00:00Z"), partial_ordering::unordered);
  EXPECT_EQ(compare("2000-01-16T12:00:00", "2000-01-16T12:00:00Z"), partial_ordering::unordered);
  EXPECT_EQ(compare("2000-01-16T00:00:00", "2000-01-16T14:00:00Z"), partial_ordering::unordered);
  EXPECT_EQ(compare("2000-01-16T00:00:00", "2000-01-16T14:00:01Z"), partial_ordering::less);
}

TEST(XsdDateTime, AddsDurations) {
  struct Case {
    XsdType type;
    const char* value;
    const char* duration;
    const char* sum;
  };
  const Case cases[] = {
      {XsdType::DateTime, "2000-01-12T12:13:14Z", "P1Y3M5DT7H10M3.3S", "2001-04-17T19:23:17.3Z"},
      {XsdType::DateTime, "2000-01-31T00:00:00", "P1M", "2000-02-29T00:00:00"},
      {XsdType::DateTime, "2001-01-31T00:00:00", "P1M", "2001-02-28T00:00:00"},
      {XsdType::DateTime, "2000-03-30T00:00:00", "-P1M", "2000-02-29T00:00:00"},
      {XsdType::DateTime, "2000-02-29T00:00:00+01:00", "P1Y", "2001-02-28T00:00:00+01:00"},
      {XsdType::DateTime, "2000-12-31T23:59:59.9", "PT0.1S", "2001-01-01T00:00:00"},
      {XsdType::DateTime, "2001-01-01T00:00:00", "-PT0.1S", "2000-12-31T23:59:59.9"},
      {XsdType::DateTime, "0001-01-01T00:00:00", "-P1D", "0000-12-31T00:00:00"},
      {XsdType::DateTime, "2000-01-01T00:00:00", "-P2001Y", "-0001-01-01T00:00:00"},
      {XsdType::DateTime, "9223372036854775807-12-31T00:00:00", "P1D", "error"},
      {XsdType::DateTime, "9223372036854775807-12-31T00:00:00", "P1M", "error"},
      {XsdType::Date, "2000-01-31", "P1D", "2000-02-01"},
      {XsdType::Date, "2000-01-31", "PT23H59M", "2000-01-31"},
      {XsdType::Date, "2000-01-31Z", "-PT1S", "2000-01-30Z"},
      {XsdType::Time, "11:12:00", "P3DT1H15M", "12:27:00"},
      {XsdType::Time, "23:12:00+03:00", "P1DT3H15M", "02:27:00+03:00"},
      {XsdType::Time, "00:00:00", "-PT1S", "23:59:59"},
  };
  for (const Case& c : cases) {
    const auto duration = parse_duration(c.duration, XsdType::Duration).value();
    EXPECT_EQ(shown(add_duration(moment(c.value, c.type), duration, c.type), c.type), c.sum)
        << c.value << " + " << c.duration;
  }
}

TEST(XsdDateTime, DifferencesUndoAdditions) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto seconds = static_cast<std::int64_t>(random()) >> (2 + random() % 60);
    const std::int64_t fraction =
        static_cast<std::int64_t>(random() % kAttosecondsPerSecond) * (seconds < 0 ? -1 : 1);
    const XsdDuration duration{0, seconds, fraction};
    const XsdDateTime start = moment("2024-02-29T12:34:56.789+05:45");
    const auto end = add_duration(start, duration, XsdType::DateTime);
    ASSERT_TRUE(end.has_value());
    ASSERT_EQ(instant_difference(*end, start, 0), duration) << shown(end);
    ASSERT_EQ(parse_datetime(shown(end), XsdType::DateTime), end);
    const std::int64_t direction = seconds != 0 ? seconds : fraction;
    ASSERT_EQ(compare_instants(*end, start, 0), direction <=> 0);
  }
}

TEST(XsdDateTime, EveryDayOfFourHundredYearsFollowsTheOther) {
  XsdDateTime day = moment("1899-12-31", XsdType::Date);
  for (int i = 0; i < 146'097; ++i) {
    const auto next = add_duration(day, XsdDuration{0, 86'400, 0}, XsdType::Date);
    ASSERT_TRUE(next.has_value());
    const bool same_month = next->month == day.month;
    ASSERT_TRUE(same_month ? next->day == day.day + 1
                           : next->day == 1 && day.day == days_in_month(day.year, day.month))
        << shown(next, XsdType::Date);
    day = *next;
  }
  EXPECT_EQ(shown(day, XsdType::Date), "2299-12-31");
}

TEST(XsdDateTime, DifferencesCanBeTooLarge) {
  EXPECT_EQ(instant_difference(moment("9223372036854775807-01-01T00:00:00"),
                               moment("-9223372036854775807-01-01T00:00:00"), 0),
            std::nullopt);
}

TEST(XsdDateTime, AdjustsTimezones) {
  const XsdDateTime value = moment("2002-03-07T10:00:00-07:00");
  EXPECT_EQ(shown(adjust_timezone(value, -600, XsdType::DateTime)), "2002-03-07T07:00:00-10:00");
  EXPECT_EQ(shown(adjust_timezone(value, std::nullopt, XsdType::DateTime)), "2002-03-07T10:00:00");
  EXPECT_EQ(shown(adjust_timezone(moment("2002-03-07T10:00:00"), 60, XsdType::DateTime)),
            "2002-03-07T10:00:00+01:00");
  EXPECT_EQ(shown(adjust_timezone(moment("2002-03-07-07:00", XsdType::Date), -600, XsdType::Date),
                  XsdType::Date),
            "2002-03-06-10:00");
  EXPECT_EQ(shown(adjust_timezone(moment("10:00:00-07:00", XsdType::Time), 840, XsdType::Time),
                  XsdType::Time),
            "07:00:00+14:00");
}

}  // namespace
}  // namespace helve::rdf
