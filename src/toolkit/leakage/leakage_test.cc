#include "toolkit/leakage/leakage.h"

#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

TEST(LeakageMeter, AddsUpByToolAndInAll) {
  LeakageMeter meter;
  meter.add("sparql_query", 100, 5'000, false);
  meter.add("sparql_query", 300, 0, true);
  meter.add("list_tools", 50, 0, false);
  const LeakageReport report = meter.report();
  ASSERT_EQ(report.tools.size(), 2U);
  EXPECT_EQ(report.tools[1].tool, "sparql_query");
  EXPECT_EQ(report.tools[1].calls, 2U);
  EXPECT_EQ(report.tools[1].errors, 1U);
  EXPECT_EQ(report.tools[1].reply_chars, 400U);
  EXPECT_EQ(report.tools[1].reply_chars_max, 300U);
  EXPECT_EQ(report.total.reply_chars, 450U);
  EXPECT_EQ(report.total.stored_chars, 5'000U);
}

TEST(RepeatGuard, CountsCallsWithTheSameAnswerAlone) {
  RepeatGuard guard;
  EXPECT_EQ(guard.note("a", "1"), 0U);
  EXPECT_EQ(guard.note("a", "1"), 1U);
  EXPECT_EQ(guard.note("a", "1"), 2U);
  EXPECT_EQ(guard.note("a", "2"), 0U);
  EXPECT_EQ(guard.note("b", "2"), 0U);
}

TEST(RepeatGuard, ForgetsWhatWasNotAskedForLongest) {
  RepeatGuard guard;
  EXPECT_EQ(guard.note("first", "1"), 0U);
  for (std::size_t i = 0; i < RepeatGuard::kRemembered; ++i) {
    EXPECT_EQ(guard.note(std::to_string(i), "1"), 0U);
  }
  EXPECT_EQ(guard.note("first", "1"), 0U);
  EXPECT_EQ(guard.note(std::to_string(RepeatGuard::kRemembered - 1), "1"), 1U);
}

}  // namespace
}  // namespace helve::toolkit
