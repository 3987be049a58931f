// Budgets: nesting, refusal without trace, concurrency.
#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace helve {
namespace {

TEST(MemoryBudget, ReservesInEveryParent) {
  MemoryBudget process("process", 1'000);
  MemoryBudget session("session", 500, &process);
  MemoryBudget query("query", 100, &session);
  ASSERT_TRUE(query.reserve(60, "sorting"));
  EXPECT_EQ(query.bytes_used(), 60U);
  EXPECT_EQ(session.bytes_used(), 60U);
  EXPECT_EQ(process.bytes_used(), 60U);
  query.release(60);
  EXPECT_EQ(process.bytes_used(), 0U);
  EXPECT_EQ(process.bytes_peak(), 60U);
}

TEST(MemoryBudget, KnowsWhatIsFreeInEveryParent) {
  MemoryBudget process("process", 1'000);
  MemoryBudget query("query", 5'000, &process);
  EXPECT_EQ(query.bytes_free(), 1'000U);
  ASSERT_TRUE(process.reserve(300, "other"));
  EXPECT_EQ(query.bytes_free(), 700U);
  EXPECT_EQ(query.bytes_limit(), 1'000U);
  process.release(300);
}

TEST(MemoryBudget, RefusalLeavesNothingReserved) {
  MemoryBudget process("process", 50);
  MemoryBudget session("session", 500, &process);
  MemoryBudget query("query", 500, &session);
  const auto refused = query.reserve(51, "sorting");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::LimitExceeded);
  EXPECT_NE(refused.error().message.find("sorting"), std::string::npos);
  EXPECT_NE(refused.error().message.find("process"), std::string::npos);
  EXPECT_EQ(query.bytes_used(), 0U);
  EXPECT_EQ(session.bytes_used(), 0U);
  EXPECT_EQ(process.bytes_used(), 0U);
  EXPECT_EQ(query.bytes_peak(), 0U);
}

TEST(MemoryBudget, TakesExactlyItsMaximum) {
  MemoryBudget budget("query", 100);
  EXPECT_TRUE(budget.reserve(100, "x"));
  EXPECT_FALSE(budget.reserve(1, "x"));
  EXPECT_TRUE(budget.reserve(0, "x"));
  budget.release(100);
}

TEST(MemoryBudget, HugeRequestsDoNotWrapAround) {
  MemoryBudget budget("query", 100);
  ASSERT_TRUE(budget.reserve(50, "x"));
  EXPECT_FALSE(budget.reserve(std::numeric_limits<std::size_t>::max(), "x"));
  EXPECT_EQ(budget.bytes_used(), 50U);
  budget.release(50);
}

TEST(MemoryBudget, ConcurrentUsersNeverExceedTheMaximum) {
  MemoryBudget process("process", 100);
  MemoryBudget first("first", 80, &process);
  MemoryBudget second("second", 80, &process);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      MemoryBudget& own = i % 2 == 0 ? first : second;
      for (int round = 0; round < 2'000; ++round) {
        if (own.reserve(30, "x")) own.release(30);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(process.bytes_used(), 0U);
  EXPECT_EQ(first.bytes_used(), 0U);
  EXPECT_EQ(second.bytes_used(), 0U);
  EXPECT_LE(process.bytes_peak(), 100U);
  EXPECT_LE(first.bytes_peak(), 80U);
}

TEST(MemoryCharge, GrowsShrinksAndGivesBack) {
  MemoryBudget budget("query", 100);
  {
    MemoryCharge charge(budget, "a table");
    ASSERT_TRUE(charge.resize(40));
    ASSERT_TRUE(charge.add(20));
    EXPECT_FALSE(charge.add(41));
    EXPECT_EQ(charge.bytes(), 60U);
    ASSERT_TRUE(charge.resize(10));
    EXPECT_EQ(budget.bytes_used(), 10U);
    MemoryCharge moved(std::move(charge));
    EXPECT_EQ(moved.bytes(), 10U);
    EXPECT_EQ(budget.bytes_used(), 10U);
    MemoryCharge target(budget, "another");
    ASSERT_TRUE(target.resize(5));
    target = std::move(moved);
    EXPECT_EQ(budget.bytes_used(), 10U);
  }
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST(ProcessMemory, HasAMaximumOfThisMachine) {
  EXPECT_GT(process_memory().bytes_max(), std::size_t{16} << 20U);
  EXPECT_EQ(&process_memory(), &process_memory());
}

}  // namespace
}  // namespace helve
