#include "base/http_date.h"

#include <gtest/gtest.h>

#include "base/utc.h"

namespace helve {
namespace {

std::string read_date(std::string_view text, std::string_view now = "2026-01-31T08:05:00Z") {
  const auto time = read_http_date(text, *read_utc(now));
  return time ? to_utc(*time) : "none";
}

TEST(HttpDate, AllThreeFormsAreRead) {
  EXPECT_EQ(read_date("Sun, 06 Nov 1994 08:49:37 GMT"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(read_date("Sunday, 06-Nov-94 08:49:37 GMT"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(read_date("Sun Nov  6 08:49:37 1994"), "1994-11-06T08:49:37Z");
  EXPECT_EQ(read_date("Wed Nov 16 08:49:37 1994"), "1994-11-16T08:49:37Z");
}

TEST(HttpDate, AYearOfTwoDigitsIsNotFarAhead) {
  EXPECT_EQ(read_date("Saturday, 31-Jan-26 08:06:00 GMT"), "2026-01-31T08:06:00Z");
  EXPECT_EQ(read_date("Saturday, 31-Jan-75 08:06:00 GMT"), "2075-01-31T08:06:00Z");
  EXPECT_EQ(read_date("Saturday, 28-Feb-77 08:06:00 GMT"), "1977-02-28T08:06:00Z");
}

TEST(HttpDate, OtherFormsAndWrongDaysAreNot) {
  for (const char* text : {"",
                           "120",
                           ",",
                           ", ",
                           "Sunday, ",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sunday, 06 Nov 94 08:49:37 GMT",
                           "Sunday, 06-Nov-94 08:49:37 CET",
                           "Sunday, 31-Feb-94 08:49:37 GMT",
                           "Sunday, 06-Nov-9x 08:49:37 GMT",
                           "Sun Nov 31 08:49:37 1994",
                           "Sun Nov  6 08:49:37 94  ",
                           "Sun Nov    08:49:37 1994",
                           "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 31 Feb 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 28:49:37 GMT",
                           "Sun, -6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nev 1994 08:49:37 GMT",
                           "Sun, 06 Nov 9994 08:49:37 GMT"}) {
    EXPECT_EQ(read_date(text), "none") << text;
  }
}

}  // namespace
}  // namespace helve
