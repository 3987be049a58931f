#include "toolkit/learning/consolidate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/learning/forget.h"
#include "toolkit/learning/utility.h"
#include "toolkit/memory/bank.h"

namespace helve::learning {
namespace {

using memory::Item;
using memory::ItemSource;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr WallTime kNow = WallTime(std::chrono::hours(500'000));

Item item_of(const std::string& title, const std::string& content,
             ItemSource src = ItemSource::Success) {
  Item item;
  item.title = title;
  item.desc = "When it helps.";
  item.content = content;
  item.src = src;
  item.created_at = kNow - std::chrono::hours(24);
  item.id = memory::id_of(item);
  return item;
}

// A long enough text, so that one word more or less is little.
std::string long_text(const std::string& end) {
  return "Count the things of the class before all of them are fetched, since the number tells "
         "whether the pattern multiplies rows, and is cheap to come by on every source " +
         end;
}

class ConsolidateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    shared_ = *opened;
  }
  memory::MemoryRepository& bank() { return shared_->repository(); }
  std::string add(const Item& item) {
    const auto report = bank().add({item}, context_);
    EXPECT_TRUE(report) << report.error().to_string();
    return item.id;
  }
  Item get(const std::string& id) { return bank().get({id}, context_)->front(); }
  ConsolidationPlan plan(const ConsolidationOptions& options = {}) {
    auto made = plan_consolidation(bank(), options, context_);
    EXPECT_TRUE(made) << made.error().to_string();
    return made ? *made : ConsolidationPlan{};
  }
  std::uint64_t active() { return bank().stats(context_)->active; }

  TempDirectory folder_;
  OpContext context_;
  std::shared_ptr<memory::MemoryBank> shared_;
};

TEST_F(ConsolidateTest, NearDuplicatesAreSupersededAndThatCanBeUndone) {
  const std::string first = add(item_of("Count before export", long_text("there is")));
  const std::string second = add(item_of("Count before an export", long_text("there is now")));
  add(item_of("Look at the schema", "Classes first, then properties, then a query."));
  const ConsolidationPlan made = plan();
  ASSERT_THAT(made.pairs, SizeIs(1));
  EXPECT_EQ(made.items, 3U);
  EXPECT_EQ(std::set({made.pairs[0].superseded, made.pairs[0].by}), std::set({first, second}));
  EXPECT_GE(made.pairs[0].similarity.content, 0.8);
  EXPECT_EQ(active(), 3U);  // a plan changes nothing
  const auto done = apply(bank(), made, context_);
  ASSERT_TRUE(done) << done.error().to_string();
  ASSERT_THAT(done->changes, SizeIs(1));
  EXPECT_EQ(get(made.pairs[0].superseded).superseded_by, made.pairs[0].by);
  EXPECT_THAT(plan().pairs, IsEmpty());
  const auto again = apply(bank(), made, context_);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->changes, IsEmpty());
  EXPECT_THAT(again->skipped, SizeIs(1));
  ASSERT_TRUE(bank().undo(done->changes[0], context_));
  EXPECT_EQ(active(), 3U);
}

TEST_F(ConsolidateTest, WhatDiffersInKindStaysApart) {
  const Item item = item_of("Count before export", long_text("there is"));
  Item other = item_of("Count before an export", long_text("there is"), ItemSource::Failure);
  add(item);
  add(other);
  other = item_of("Count before each export", long_text("there is"));
  other.domain = "uniprot";
  add(other);
  other = item_of("Count before every export", long_text("there is"));
  other.scope = memory::ItemScope::Exception;
  add(other);
  EXPECT_THAT(plan().pairs, IsEmpty());
  // One name or one number is all the difference.
  add(item_of("Count before exporting", long_text("there is LIMIT 10")));
  add(item_of("Count before exporting it", long_text("there is LIMIT 1000")));
  add(item_of("Find up:Gene", long_text("of up:Gene")));
  add(item_of("Find up:Protein", long_text("of up:Protein")));
  EXPECT_THAT(plan().pairs, IsEmpty());
  ConsolidationOptions off;
  off.is_enabled = false;
  add(item_of("Count before exports", long_text("there is")));
  EXPECT_THAT(plan(off).pairs, IsEmpty());
  EXPECT_THAT(plan().pairs, SizeIs(1));
}

// What nobody has verified never takes the place of what somebody has.
TEST_F(ConsolidateTest, TheOneThatIsVerifiedStays) {
  Item poison = item_of("Count before export", long_text("there is"));
  poison.quarantined = true;
  poison.counters.helped = 1'000;
  add(poison);
  Item good = item_of("Count before an export", long_text("there is"));
  good.created_at = kNow;
  add(good);
  const ConsolidationPlan made = plan();
  ASSERT_THAT(made.pairs, SizeIs(1));
  EXPECT_EQ(made.pairs[0].by, good.id);
  Item verified = item_of("Count before the export", long_text("there is"));
  verified.verified_at = kNow;
  verified.created_at = kNow;
  add(verified);
  for (const MergePair& pair : plan().pairs) EXPECT_EQ(pair.by, verified.id);
  EXPECT_THAT(plan().pairs, SizeIs(2));
  // Between plan and apply it was taken back.
  ASSERT_TRUE(bank().retract(good.id, context_));
  const auto done = apply(bank(), made, context_);
  ASSERT_TRUE(done);
  EXPECT_THAT(done->skipped, SizeIs(1));
}

TEST_F(ConsolidateTest, ComparesFewPairsOfMany) {
  constexpr int kItems = 300;
  std::vector<Item> items;
  for (int i = 0; i < kItems; ++i) {
    std::string content;
    for (int word = 0; word < 30; ++word) {
      content += fmt::format("w{} ", static_cast<char>('a' + (i * 7 + word * word) % 26)) +
                 std::string(static_cast<std::size_t>(1 + (i * 31 + word * 17) % 40), 'k') + " ";
    }
    items.push_back(item_of("Item " + std::string(static_cast<std::size_t>(1 + i % 50), 'x'),
                            content + std::string(static_cast<std::size_t>(i / 50 + 1), 'y')));
  }
  ASSERT_TRUE(bank().add(items, context_));
  ConsolidationOptions options;
  options.neighbours_max = 10;
  const ConsolidationPlan made = plan(options);
  EXPECT_EQ(made.items, std::uint64_t{kItems});
  EXPECT_LE(made.comparisons, 10U * kItems);
  options.items_max = 20;
  EXPECT_FALSE(plan(options).is_complete);
  EXPECT_EQ(plan(options).items, 20U);
}

TEST_F(ConsolidateTest, ThePlanIsTheSameEachTime) {
  for (const char* word : {"a", "an", "the", "each", "every"}) {
    add(item_of(fmt::format("Count before {} export", word), long_text("there is")));
  }
  const ConsolidationPlan one = plan();
  const ConsolidationPlan other = plan();
  ASSERT_THAT(one.pairs, SizeIs(4));
  for (std::size_t i = 0; i < one.pairs.size(); ++i) {
    EXPECT_EQ(one.pairs[i].superseded, other.pairs[i].superseded);
    EXPECT_EQ(one.pairs[i].by, one.pairs[0].by);
  }
  ASSERT_TRUE(apply(bank(), one, context_));
  EXPECT_EQ(active(), 1U);
}

TEST_F(ConsolidateTest, MergeByHand) {
  const std::string a = add(item_of("A", "one thing"));
  const std::string b = add(item_of("B", "quite another"));
  const std::string c = add(item_of("C", "and a third"));
  const std::string bad = add(item_of("D", "to be avoided", ItemSource::Failure));
  EXPECT_EQ(merge(bank(), {a}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(merge(bank(), {a, a}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(merge(bank(), {a, "x"}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(merge(bank(), {a, b, bad}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(active(), 4U);
  const auto done = merge(bank(), {b, a, c}, context_);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_THAT(done->changes, SizeIs(2));
  EXPECT_EQ(get(a).superseded_by, b);
  EXPECT_EQ(get(c).superseded_by, b);
  EXPECT_EQ(merge(bank(), {b, a}, context_).error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(bank().undo(done->changes[1], context_));
  EXPECT_EQ(get(c).superseded_by, "");
}

TEST_F(ConsolidateTest, ForgetsTheLeastUsefulDownToTheFloor) {
  std::vector<Item> items;
  for (int i = 0; i < 6; ++i) items.push_back(item_of(fmt::format("S{}", i), "x"));
  items[0].counters.hurt = 5;
  items[1].counters.helped = 5;
  items[2].counters.retrieved = 50;
  items[3].created_at = kNow - std::chrono::hours(24 * 900);
  items[4].quarantined = true;
  items[4].counters.helped = 9;
  items.push_back(item_of("F0", "x", ItemSource::Failure));
  items.back().counters.hurt = 100;
  items.push_back(item_of("R0", "x"));
  ASSERT_TRUE(bank().add(items, context_));
  ASSERT_TRUE(bank().retract(items[7].id, context_));
  ForgetOptions options;
  options.items_max = 4;
  options.floor = 1;
  const auto made = plan_eviction(bank(), options, kNow, context_);
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(made->items, 7U);
  EXPECT_TRUE(made->is_bound_met);
  EXPECT_THAT(made->ids, ElementsAre(items[4].id, items[0].id, items[3].id));
  const auto changes = apply(bank(), *made, context_);
  ASSERT_TRUE(changes) << changes.error().to_string();
  ASSERT_THAT(*changes, SizeIs(1));
  EXPECT_EQ(bank().stats(context_)->items, 5U);
  EXPECT_EQ(bank().get({items[0].id}, context_).error().code, ErrorCode::NotFound);
  // What was evicted may be learnt again; what was retracted may not.
  EXPECT_EQ(bank().add({items[0]}, context_)->items[0].state, memory::AddState::Added);
  EXPECT_EQ(bank().add({items[7]}, context_)->items[0].state, memory::AddState::Retracted);
  EXPECT_EQ(bank().evict({items[7].id}, context_).error().code, ErrorCode::Denied);
  ASSERT_TRUE(bank().undo(std::nullopt, context_));
  ASSERT_TRUE(bank().undo(changes->at(0), context_));
  EXPECT_EQ(get(items[0].id), items[0]);
  EXPECT_EQ(bank().stats(context_)->items, 8U);
  const auto history = bank().history(items[0].id, 10, context_);
  ASSERT_TRUE(history);
  EXPECT_TRUE(std::any_of(history->begin(), history->end(), [](const auto& entry) {
    return entry.kind == memory::ChangeKind::Evict && entry.undone_by;
  }));
}

TEST_F(ConsolidateTest, FloorsComeBeforeTheBound) {
  for (int i = 0; i < 4; ++i) add(item_of(fmt::format("S{}", i), "x"));
  const std::string old = add(item_of("Old", "x"));
  ASSERT_TRUE(bank().supersede(old, item_of("S0", "x").id, context_));
  ForgetOptions options;
  options.items_max = 2;
  options.floor = 3;
  const auto made = plan_eviction(bank(), options, kNow, context_);
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->is_bound_met);
  ASSERT_THAT(made->ids, SizeIs(2));
  EXPECT_EQ(made->ids[0], old);
  options.is_enabled = false;
  EXPECT_THAT(plan_eviction(bank(), options, kNow, context_)->ids, IsEmpty());
}

TEST(Utility, FollowsUseThenRetrievalAndAge) {
  Item item;
  item.created_at = kNow;
  EXPECT_DOUBLE_EQ(utility_of(item, kNow), 0);
  item.counters.retrieved = 10;
  EXPECT_DOUBLE_EQ(utility_of(item, kNow), 0.25);
  item.counters = {0, 2, 0};
  EXPECT_DOUBLE_EQ(utility_of(item, kNow), 0.5);
  EXPECT_DOUBLE_EQ(utility_of(item, kNow + std::chrono::hours(24 * 180)), 0.25);
  item.last_used_at = kNow + std::chrono::hours(24 * 180);
  EXPECT_DOUBLE_EQ(utility_of(item, kNow + std::chrono::hours(24 * 180)), 0.5);
}

}  // namespace
}  // namespace helve::learning
