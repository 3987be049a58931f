#include "sources/sparql/engine/row_table.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace helve::sparql {
namespace {

Id id(std::uint64_t number) { return {rdf::Tag::Iri, number}; }

TEST(RowTable, KeepsRowsAndChargesThem) {
  MemoryBudget budget("test", 1 << 20);
  {
    RowTable table(2, budget, "test");
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      ASSERT_TRUE(table.append(std::vector<Id>{id(i), id(i * 2)}));
    }
    EXPECT_EQ(table.rows(), 1'000u);
    EXPECT_EQ(table.at(999, 1), id(1'998));
    EXPECT_GE(budget.bytes_used(), 2'000 * sizeof(Id));
  }
  EXPECT_EQ(budget.bytes_used(), 0u);
}

TEST(RowTable, BeyondTheBudgetIsAnErrorThatNamesTheOperator) {
  MemoryBudget budget("test", 64 * kKiB);
  RowTable table(1, budget, "DISTINCT");
  Result<void> outcome;
  std::uint64_t appended = 0;
  while ((outcome = table.append(std::vector<Id>{id(appended)}))) ++appended;
  EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
  EXPECT_NE(outcome.error().message.find("DISTINCT"), std::string::npos);
  EXPECT_EQ(table.rows(), appended);
  EXPECT_LE(budget.bytes_peak(), budget.bytes_max());
}

TEST(RowTable, WithoutColumnsHasRows) {
  MemoryBudget budget("test", 1 << 20);
  RowTable table(0, budget, "test");
  ASSERT_TRUE(table.append(std::vector<Id>{}));
  ASSERT_TRUE(table.append(std::vector<Id>{}));
  EXPECT_EQ(table.rows(), 2u);
}

TEST(RowIndex, FindsAllRowsOfAKey) {
  MemoryBudget budget("test", 1 << 24);
  RowTable table(2, budget, "test");
  RowIndex index(table, {1}, budget, "test");
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(table.append(std::vector<Id>{id(i), id(i % 7)}));
    ASSERT_TRUE(index.add(i));
  }
  const std::vector<Id> key = {id(3)};
  std::uint32_t found = 0;
  for (std::uint32_t row = index.find(key); row != RowTable::kNone; row = index.next(row, key)) {
    EXPECT_EQ(table.at(row, 1), id(3));
    ++found;
  }
  EXPECT_EQ(found, 1'429u);
  EXPECT_EQ(index.find(std::vector<Id>{id(7)}), RowTable::kNone);
}

TEST(RowSet, HoldsEachRowOnceAndCanBeUsedAgain) {
  MemoryBudget budget("test", 1 << 24);
  RowSet set(1, budget, "test");
  for (int round = 0; round < 3; ++round) {
    // A large round between small ones: both ways of clearing are met.
    const std::uint64_t rows = round == 1 ? 5'000 : 3;
    for (std::uint64_t i = 0; i < 2 * rows; ++i) {
      const Id one = id(i % rows);
      const auto inserted = set.insert({&one, 1});
      ASSERT_TRUE(inserted);
      EXPECT_EQ(inserted->is_new, i < rows);
      EXPECT_EQ(inserted->row, i % rows);
    }
    EXPECT_EQ(set.table().rows(), rows);
    set.clear();
    EXPECT_EQ(set.table().rows(), 0u);
  }
}

}  // namespace
}  // namespace helve::sparql
