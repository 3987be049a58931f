// DISTINCT within aggregates gives each value of a group once, in the order in which they are
// first met, however little memory there is.
#include "sources/sparql/engine/distinct_aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/spill_space.h"
#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using ValuesOfGroups = std::map<std::uint64_t, std::vector<std::uint64_t>>;  // by group

// Writes down what it is given.
class Recorder final : public GroupAggregate {
 public:
  explicit Recorder(ValuesOfGroups& values) : values_(values) {}

  Result<void> add(const GroupedRows& rows) override {
    group_count_ = rows.group_count;
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
      EXPECT_LT(rows.groups[i], rows.group_count);
      const bool has_value = !rows.batch.columns.empty();
      values_[first_ + rows.groups[i]].push_back(has_value ? rows.column(0)[i].bits() : 0);
    }
    return {};
  }
  Value finish(std::uint32_t /*group*/) override { return std::monostate(); }
  void keep_last() override { first_ += group_count_ - 1; }
  void clear() override { first_ = 0; }
  std::size_t bytes() const override { return 0; }

 private:
  ValuesOfGroups& values_;
  std::uint64_t first_ = 0;
  std::uint32_t group_count_ = 0;
};

struct Pair {
  std::uint64_t group = 0;
  std::uint64_t value = 0;
};

class DistinctAggregateTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBatch = 500;

  DistinctAggregateTest()
      : space_(env_.files(), "/", kGiB), run_{evaluation_.op(),
                                              evaluation_.terms(),
                                              evaluation_.context(),
                                              nullptr,
                                              PassSet::all(),
                                              MemoryCharge(*evaluation_.op().memory, "test")} {
    evaluation_.op().spill = &space_;
    Schema schema;
    schema.add("group");
    schema.add("value");
    values_.emplace(AggregateColumn{
        "n",
        {AggregateKind::Count, true, {variable("value")}, {}},
        std::move(*BoundExpression::bind(variable("value"), schema, evaluation_.context(), {}))});
    rows_.emplace(AggregateColumn{"n", {AggregateKind::Count, true, {}, {}}, std::nullopt});
  }

  static std::vector<Pair> random_pairs(std::size_t count, std::uint64_t groups,
                                        std::uint64_t values) {
    std::mt19937_64 random(7);
    std::vector<Pair> pairs(count);
    for (Pair& pair : pairs) pair = {random() % groups, 1 + random() % values};
    return pairs;
  }
  // Groups that come one after the other, numbered as they come.
  static std::vector<Pair> in_turn(std::vector<Pair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.group < b.group; });
    return pairs;
  }

  static ValuesOfGroups expected(const std::vector<Pair>& pairs) {
    ValuesOfGroups values;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (const Pair& pair : pairs) {
      if (seen.insert({pair.group, pair.value}).second) values[pair.group].push_back(pair.value);
    }
    return values;
  }

  // Adds them in batches and settles: sorted groups as they end, all others at the end.
  Result<void> add(DistinctAggregate& aggregate, const std::vector<Pair>& pairs, bool is_sorted) {
    std::uint64_t first_group = 0;
    std::uint64_t count = 0;
    std::vector<std::uint32_t> groups;
    for (std::size_t at = 0; at < pairs.size(); at += kBatch) {
      Batch batch;
      batch.reset(2);
      groups.clear();
      for (std::size_t i = at; i < std::min(at + kBatch, pairs.size()); ++i) {
        groups.push_back(static_cast<std::uint32_t>(pairs[i].group - first_group));
        batch.columns[0].push_back(Id::from_bits(pairs[i].group + 1));
        batch.columns[1].push_back(Id::from_bits(pairs[i].value));
        count = std::max(count, pairs[i].group + 1);
      }
      batch.rows = groups.size();
      const auto in_hand = static_cast<std::uint32_t>(count - first_group);
      HELVE_TRY(aggregate.add({batch, 0, groups, in_hand}));
      if (!is_sorted) continue;
      HELVE_TRY(aggregate.settle(in_hand - 1));
      if (in_hand == 1) continue;
      aggregate.keep_last();
      first_group = count - 1;
    }
    Batch none;
    none.reset(2);
    const auto in_hand = static_cast<std::uint32_t>(count - first_group);
    HELVE_TRY(aggregate.add({none, 0, {}, in_hand}));
    return aggregate.settle(in_hand);
  }

  void expect_values(const std::vector<Pair>& pairs, std::size_t bytes_max, bool is_sorted,
                     bool is_spilled) {
    for (const bool is_of_rows : {false, true}) {
      SCOPED_TRACE(is_of_rows ? "of rows" : "of values");
      MemoryBudget memory("test", bytes_max);
      evaluation_.op().memory = &memory;
      {
        ValuesOfGroups found;
        const bool is_single = expected(pairs).size() == 1;
        DistinctAggregate aggregate(is_of_rows ? *rows_ : *values_, {2, is_single}, run_,
                                    std::make_unique<Recorder>(found));
        const std::uint64_t before = space_.bytes_written();
        const auto done = add(aggregate, pairs, is_sorted);
        ASSERT_TRUE(done) << done.error().to_string();
        EXPECT_EQ(space_.bytes_written() > before, is_spilled);
        ValuesOfGroups wanted = expected(pairs);
        if (is_of_rows) {
          for (auto& [group, values] : wanted) std::fill(values.begin(), values.end(), 0);
        }
        EXPECT_EQ(found, wanted);
        aggregate.clear();
        found.clear();
        ASSERT_TRUE(add(aggregate, pairs, is_sorted));
        EXPECT_EQ(found, wanted) << "once more";
      }
      EXPECT_EQ(memory.bytes_used(), 0U);
      EXPECT_EQ(space_.bytes_used(), 0U);
    }
    evaluation_.op().memory = unlimited_;
  }

  FakeEnv env_;
  SpillSpace space_;
  Evaluation evaluation_;
  MemoryBudget* unlimited_ = evaluation_.op().memory;
  RunState run_;
  std::optional<AggregateColumn> values_;
  std::optional<AggregateColumn> rows_;
};

TEST_F(DistinctAggregateTest, OfOneGroup) {
  const auto pairs = random_pairs(60'000, 1, 25'000);
  expect_values(pairs, kGiB, false, false);
  expect_values(pairs, 512 * kKiB, false, true);
}

TEST_F(DistinctAggregateTest, OfManyGroups) {
  const auto pairs = random_pairs(60'000, 40, 1'500);
  expect_values(pairs, kGiB, false, false);
  expect_values(pairs, 512 * kKiB, false, true);
}

TEST_F(DistinctAggregateTest, OfGroupsInTurn) {
  for (const std::uint64_t groups : {2, 7, 5'000}) {
    SCOPED_TRACE(groups);
    const auto pairs = in_turn(random_pairs(60'000, groups, 25'000));
    expect_values(pairs, kGiB, true, false);
    expect_values(pairs, 400 * kKiB, true, groups < 5'000);
  }
}

// The same in little, for builds that are slow.
TEST_F(DistinctAggregateTest, OfTwoGroupsInTurn) {
  expect_values(in_turn(random_pairs(12'000, 2, 10'000)), 128 * kKiB, true, true);
}

// A large group, small ones that share batches, a large one again.
TEST_F(DistinctAggregateTest, MemoryIsThereAgainBehindALargeGroup) {
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < 30'000; ++i) pairs.push_back({0, 1 + i % 20'011});
  for (std::uint64_t i = 0; i < 3'000; ++i) pairs.push_back({1 + i / 7, 1 + i % 3});
  for (std::uint64_t i = 0; i < 30'000; ++i) pairs.push_back({500, 1 + i % 20'011});
  for (std::uint64_t i = 0; i < 10'000; ++i) pairs.push_back({501 + i / 9, 1 + i % 5});
  // Numbers without gaps.
  std::uint64_t number = 0;
  for (std::size_t i = 0, before = pairs[0].group; i < pairs.size(); ++i) {
    if (pairs[i].group != before) ++number;
    before = pairs[i].group;
    pairs[i].group = number;
  }
  expect_values(pairs, kGiB, true, false);
  expect_values(pairs, 400 * kKiB, true, true);
}

TEST_F(DistinctAggregateTest, UnboundValuesAreGivenAndNotRemembered) {
  constexpr std::uint64_t kGroups = 20'000;
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < kGroups; ++i) pairs.push_back({i, i % 100 == 0 ? 7U : 0U});
  for (std::uint64_t i = 0; i < kGroups; ++i) pairs.push_back({i, i % 50 == 0 ? 7U : 0U});
  ValuesOfGroups found;
  DistinctAggregate aggregate(*values_, {2, false}, run_, std::make_unique<Recorder>(found));
  ASSERT_TRUE(add(aggregate, pairs, false));
  for (std::uint64_t i = 0; i < kGroups; ++i) {
    const std::vector<std::uint64_t> twice = {0, 0};
    const std::vector<std::uint64_t> once =
        i % 100 == 0 ? std::vector<std::uint64_t>{7} : std::vector<std::uint64_t>{0, 7};
    ASSERT_EQ(found[i], i % 50 == 0 ? once : twice) << i;
  }
  EXPECT_LT(aggregate.bytes(), 64 * kKiB);
}

TEST_F(DistinctAggregateTest, WithoutASpaceTheMemoryIsTheLimit) {
  evaluation_.op().spill = nullptr;
  MemoryBudget memory("test", 200 * kKiB);
  evaluation_.op().memory = &memory;
  {
    ValuesOfGroups found;
    DistinctAggregate aggregate(*values_, {2, false}, run_, std::make_unique<Recorder>(found));
    const auto done = add(aggregate, random_pairs(60'000, 40, 1'500), false);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::LimitExceeded);
    EXPECT_THAT(done.error().message, ::testing::HasSubstr("aggregates"));
  }
  EXPECT_EQ(memory.bytes_used(), 0U);
  evaluation_.op().memory = unlimited_;
}

}  // namespace
}  // namespace helve::sparql
