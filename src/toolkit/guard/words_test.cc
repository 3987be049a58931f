#include "toolkit/guard/words.h"

#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Words, OfMoments) {
  EXPECT_EQ(minute_words(WallTime(seconds(1'794'817'859))), "2026-11-16 08:30 UTC");
  EXPECT_EQ(age_words(seconds(59)), "just now");
  EXPECT_EQ(age_words(seconds(-5)), "just now");  // clocks differ
  EXPECT_EQ(age_words(minutes(1)), "1 minute ago");
  EXPECT_EQ(age_words(minutes(59)), "59 minutes ago");
  EXPECT_EQ(age_words(minutes(60)), "1 hour ago");
  EXPECT_EQ(age_words(hours(47)), "47 hours ago");
  EXPECT_EQ(age_words(hours(48)), "2 days ago");
}

TEST(Words, OfEstimates) {
  EXPECT_EQ(count_words(1'234.4), "1,234");
  EXPECT_EQ(count_words(1e30), "more than 10^18");
  EXPECT_EQ(time_words(0.2), "0.2 s");
  EXPECT_EQ(time_words(119), "119 s");
  EXPECT_EQ(time_words(252), "4.2 min");
  EXPECT_EQ(time_words(1e12), "centuries");
  EXPECT_EQ(cost_words(6'000), "6 us");
  EXPECT_EQ(cost_words(252e9), "4.2 min");
}

}  // namespace
}  // namespace helve::toolkit
