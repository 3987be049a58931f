#include "sources/sql/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace helve::sql {
namespace {

using ::testing::HasSubstr;

struct Thing {};
using ThingPool = Pool<Thing>;

OpContext of(std::uint64_t caller) {
  OpContext context;
  context.caller = caller;
  return context;
}

PoolLimits limits(std::size_t most, Duration wait = std::chrono::milliseconds(1)) {
  return {most, wait, std::chrono::seconds(60)};
}

TEST(Pool, KeepsOnePlaceForOtherCallers) {
  ThingPool pool(limits(3));
  const auto one = pool.acquire(of(1));
  const auto two = pool.acquire(of(1));
  ASSERT_TRUE(one && two);
  const auto third = pool.acquire(of(1));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(third.error().message, HasSubstr("reserved for other callers"));
  EXPECT_THAT(third.error().hint, HasSubstr("?connections="));
  const auto other = pool.acquire(of(2));
  EXPECT_TRUE(other);
  EXPECT_THAT(pool.acquire(of(3)).error().message, HasSubstr("all 3 connections"));
}

TEST(Pool, GivesAllToACallerWithoutAName) {
  ThingPool pool(limits(2));
  const auto one = pool.acquire({});
  const auto two = pool.acquire({});
  EXPECT_TRUE(one && two);
}

TEST(Pool, GivesTheOnlyPlaceToAnyone) {
  ThingPool pool(limits(1));
  { EXPECT_TRUE(pool.acquire(of(1))); }
  EXPECT_TRUE(pool.acquire(of(2)));
}

// Three calls of a caller wait before one of another who has nothing.
TEST(Pool, APlaceThatBecomesFreeGoesToWhoHasTheFewest) {
  ThingPool pool(limits(3, std::chrono::seconds(60)));
  std::optional<ThingPool::Lease> held(std::move(*pool.acquire(of(1))));
  const auto second = pool.acquire(of(1));
  const auto third = pool.acquire(of(2));
  ASSERT_TRUE(second && third);
  std::atomic<bool> is_first_greedy{false};
  std::atomic<int> greedy_done{0};
  std::atomic<bool> is_modest_done{false};
  std::vector<std::thread> greedy;
  for (int i = 0; i < 3; ++i) {
    greedy.emplace_back([&] {
      const auto lease = pool.acquire(of(2));
      if (!is_modest_done) is_first_greedy = true;
      greedy_done += lease ? 1 : 0;
    });
  }
  while (pool.waiting() < 3) std::this_thread::yield();
  std::thread modest([&] {
    const auto lease = pool.acquire(of(3));
    is_modest_done = lease.has_value();
  });
  while (pool.waiting() < 4) std::this_thread::yield();
  held.reset();
  modest.join();
  for (std::thread& one : greedy) one.join();
  EXPECT_TRUE(is_modest_done);
  EXPECT_FALSE(is_first_greedy);
  EXPECT_EQ(greedy_done, 3);
}

TEST(Pool, StopsWaitingWhenCancelled) {
  ThingPool pool(limits(1, std::chrono::seconds(60)));
  const auto held = pool.acquire(of(1));
  OpContext context = of(2);
  context.cancel.cancel();
  EXPECT_EQ(pool.acquire(context).error().code, ErrorCode::Cancelled);
  EXPECT_EQ(pool.waiting(), 0U);
}

}  // namespace
}  // namespace helve::sql
