#include "sources/sparql/engine/id_table.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sources/sparql/engine/charged_vector.h"

namespace helve::sparql {
namespace {

std::vector<Id> ids(std::initializer_list<std::uint64_t> bits) {
  std::vector<Id> result;
  for (const std::uint64_t number : bits) result.push_back(Id::from_bits(number));
  return result;
}

TEST(IdTable, TellsWhatIsNewAndNumbersInOrder) {
  MemoryBudget memory("test", 1 << 20);
  const std::vector<Id> a = ids({5, 5, 0, 7, 5, 0});
  const std::vector<Id> b = ids({1, 1, 0, 1, 2, 0});
  std::vector<std::uint32_t> found;
  IdTable<2> set(memory, "a test");
  ASSERT_TRUE(set.insert({a.data(), b.data()}, a.size(), found));
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 2, 3, 4}));
  EXPECT_EQ(set.size(), 4U);
  IdTable<2> numbers(memory, "a test");
  found.assign(a.size(), 0);
  ASSERT_TRUE(numbers.number({a.data(), b.data()}, a.size(), found.data()));
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 1}));
  ASSERT_TRUE(numbers.number({b.data(), a.data()}, 1, found.data()));
  EXPECT_EQ(found[0], 4U);
}

TEST(IdTable, GrowsWithinTheBudgetAndIsWholeAfterAnError) {
  MemoryBudget memory("test", 100'000);
  IdTable<1> set(memory, "a test");
  std::vector<Id> many(2'000);
  std::vector<std::uint32_t> fresh;
  std::uint64_t next = 1;
  std::size_t inserted = 0;
  while (true) {
    for (Id& id : many) id = Id::from_bits(next++);
    const auto result = set.insert({many.data()}, many.size(), fresh);
    if (!result) {
      EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded);
      EXPECT_TRUE(result.error().message.starts_with("a test needs"));
      break;
    }
    inserted += many.size();
  }
  EXPECT_EQ(set.size(), inserted);
  EXPECT_GT(inserted, 2'000U);
  EXPECT_LE(memory.bytes_peak(), 100'000U);
  fresh.clear();
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = Id::from_bits(1 + i);
  ASSERT_TRUE(set.insert({many.data()}, 10, fresh));
  EXPECT_TRUE(fresh.empty());
}

TEST(IdTable, GivesBackWhatItDoesNotNeed) {
  MemoryBudget memory("test", 1 << 24);
  std::vector<Id> many(50'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = Id::from_bits(i);
  std::vector<std::uint32_t> fresh;
  {
    IdTable<1> set(memory, "a test");
    ASSERT_TRUE(set.insert({many.data()}, many.size(), fresh));
    set.clear();
    EXPECT_GT(memory.bytes_used(), 400'000U) << "the next use may be as large";
    fresh.clear();
    ASSERT_TRUE(set.insert({many.data()}, 10, fresh));
    EXPECT_EQ(fresh.size(), 10U);
    set.clear();
    EXPECT_EQ(memory.bytes_used(), 0U);
    ASSERT_TRUE(set.insert({many.data()}, 10, fresh));
    EXPECT_EQ(fresh.size(), 20U);
  }
  EXPECT_EQ(memory.bytes_used(), 0U);
}

TEST(ChargedVector, IsChargedBeforeItGrows) {
  MemoryBudget memory("test", 1'000);
  ChargedVector<std::uint64_t> numbers(memory, "a test");
  ASSERT_TRUE(numbers.grow_to(40, 7));
  EXPECT_EQ(numbers[39], 7U);
  EXPECT_GE(memory.bytes_used(), 40 * sizeof(std::uint64_t));
  EXPECT_FALSE(numbers.grow_to(100, 7));
  EXPECT_EQ(numbers.size(), 40U);
  numbers[39] = 8;
  numbers.keep_last();
  EXPECT_EQ(numbers.size(), 1U);
  EXPECT_EQ(numbers[0], 8U);
}

}  // namespace
}  // namespace helve::sparql
