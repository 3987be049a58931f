#include "toolkit/writes/changed_rows.h"

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace helve::toolkit {
namespace {

using std::chrono::minutes;

Policy policy_of(std::uint64_t once, std::uint64_t session, std::uint64_t hour) {
  Policy policy;
  policy.max_affected_rows = once;
  policy.max_affected_rows_per_session = session;
  policy.max_affected_rows_per_hour = hour;
  return policy;
}

TEST(ChangedRows, TheTightestLimitBinds) {
  FakeClock clock;
  HourlyCounts hourly(clock);
  SessionRows session(hourly);
  const Policy policy = policy_of(10, 25, 40);
  EXPECT_EQ(session.limit("a", policy).rows, 10U);
  EXPECT_EQ(session.limit("a", policy).key, "max_affected_rows");
  EXPECT_FALSE(session.add("a", policy, 10));
  EXPECT_FALSE(session.add("a", policy, 10));
  EXPECT_EQ(session.limit("a", policy).rows, 5U);
  EXPECT_EQ(session.limit("a", policy).key, "max_affected_rows_per_session");
  const auto broken = session.add("a", policy, 6);
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->rows, 5U);
  // Another session of the same caller, and another caller.
  SessionRows second(hourly);
  EXPECT_FALSE(second.add("a", policy, 15));
  EXPECT_EQ(second.limit("a", policy).rows, 5U);
  EXPECT_EQ(second.limit("a", policy).key, "max_affected_rows_per_hour");
  EXPECT_EQ(second.add("a", policy, 6)->key, "max_affected_rows_per_hour");
  EXPECT_EQ(second.limit("b", policy).rows, 10U);
}

TEST(ChangedRows, AnHourPassesByMinutes) {
  FakeClock clock;
  HourlyCounts hourly(clock);
  EXPECT_TRUE(hourly.add("a", 7, 10));
  clock.advance(minutes(30));
  EXPECT_TRUE(hourly.add("a", 3, 10));
  EXPECT_FALSE(hourly.add("a", 1, 10));
  clock.advance(minutes(31));
  EXPECT_EQ(hourly.count("a"), 3U);
  clock.advance(minutes(600));
  EXPECT_EQ(hourly.count("a"), 0U);
}

TEST(ChangedRows, WhatWasNotCommittedIsTakenBack) {
  FakeClock clock;
  HourlyCounts hourly(clock);
  SessionRows session(hourly);
  const Policy policy = policy_of(10, 10, 10);
  EXPECT_FALSE(session.add("a", policy, 10));
  EXPECT_EQ(session.limit("a", policy).rows, 0U);
  clock.advance(minutes(1));
  session.take_back("a", 10);
  EXPECT_EQ(session.limit("a", policy).rows, 10U);
  EXPECT_EQ(hourly.count("a"), 0U);
}

}  // namespace
}  // namespace helve::toolkit
