#include "base/http_date.h"

#include <gtest/gtest.h>

#include "base/utc.h"

namespace helve {
namespace {

TEST(HttpDate, IsRead) {
  const auto time = read_http_date("Sun, 06 Nov 1994 08:49:37 GMT");
  ASSERT_TRUE(time);
  EXPECT_EQ(to_utc(*time), "1994-11-06T08:49:37Z");
}

TEST(HttpDate, OtherFormsAndWrongDaysAreNot) {
  for (const char* text : {"", "120", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                           "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 28:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nev 1994 08:49:37 GMT", "Sun, 06 Nov 9994 08:49:37 GMT"}) {
    EXPECT_FALSE(read_http_date(text)) << text;
  }
}

}  // namespace
}  // namespace helve
