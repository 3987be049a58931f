#include "toolkit/memory/bank.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Item small_item(const std::string& title, const std::string& content) {
  Item item;
  item.title = title;
  item.desc = "d";
  item.content = content;
  item.id = id_of(item);
  return item;
}

Candidate candidate_of(const Item& item) {
  std::vector<std::string> terms;
  Candidate one;
  one.id = item.id;
  one.bag = Bag::of(item, terms);
  one.length = length_of(item);
  return one;
}

// Each of the words in one item, and in as many others as it takes.
Candidates candidates_of(const std::vector<Item>& items, std::vector<std::uint64_t> frequencies) {
  Candidates all;
  for (const Item& item : items) {
    all.items.push_back(candidate_of(item));
    all.total_length += all.items.back().length;
  }
  all.documents = items.size();
  all.frequencies = std::move(frequencies);
  return all;
}

std::vector<std::string> ids_of(const std::vector<Ranked>& ranked) {
  std::vector<std::string> ids;
  for (const Ranked& one : ranked) ids.push_back(one.id);
  return ids;
}

TEST(Rank, Bm25PrefersRareWordsAndWordOverlapDoesNot) {
  const Item rare = small_item("a", "protein x y");
  const Item common = small_item("b", "find all z");
  const std::vector<Item> items = {rare, common, small_item("c", "find all"),
                                   small_item("e", "find all")};
  const Candidates all = candidates_of(items, {3, 3, 1});
  const std::vector<std::string> terms = {"find", "all", "protein"};
  RankOptions options;
  options.uses_history = false;
  EXPECT_EQ(rank(all, terms, options, 1).at(0).id, rare.id);
  options.ranker = Ranker::WordOverlap;
  const auto overlap = rank(all, terms, options, 10);
  EXPECT_NE(overlap.at(0).id, rare.id);
  EXPECT_DOUBLE_EQ(overlap.at(0).score, 2.0 / 3);
  EXPECT_DOUBLE_EQ(overlap.at(3).score, 1.0 / 3);
}

TEST(Rank, FollowsTheFormula) {
  const Item item = small_item("a", "x x");  // title 4 + desc 3 + content 4 of units
  const Candidates all = candidates_of({item}, {1});
  RankOptions options;
  options.uses_history = false;
  const double rarity = std::log(1 + 0.5 / 1.5);
  EXPECT_DOUBLE_EQ(rank(all, {"x"}, options, 1).at(0).score, rarity * 2 * 2.2 / (2 + 1.2));
}

TEST(Rank, TiesAreBrokenById) {
  std::vector<Item> items;
  items.reserve(20);
  for (int i = 0; i < 20; ++i) items.push_back(small_item(fmt::format("t{}", i), "same words"));
  const auto ids = ids_of(rank(candidates_of(items, {20}), {"same"}, {}, 5));
  ASSERT_EQ(ids.size(), 5U);
  std::vector<std::string> all;
  for (const Item& item : items) all.push_back(item.id);
  std::sort(all.begin(), all.end());
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), all.begin()));
}

TEST(Rank, HistoryMovesButNeverHides) {
  const WallTime now = WallTime(std::chrono::hours(1'000'000));
  Candidate one;
  one.created_at = now;
  EXPECT_DOUBLE_EQ(history_factor(one, now), 1);
  one.counters.helped = 1'000'000;
  EXPECT_LE(history_factor(one, now), 1.1);
  EXPECT_GT(history_factor(one, now), 1.09);
  one.counters = {0, 0, UINT64_MAX};
  one.created_at = WallTime{};
  EXPECT_GE(history_factor(one, now), 0.8);
  EXPECT_LT(history_factor(one, now), 0.82);
  // A clock that went back is no reason to fail.
  one.created_at = now + std::chrono::hours(1);
  one.counters = {};
  EXPECT_DOUBLE_EQ(history_factor(one, now), 1);
}

class MemoryBankTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    bank_ = *opened;
  }
  TempDirectory folder_;
  OpContext context_;
  std::shared_ptr<MemoryBank> bank_;
};

TEST_F(MemoryBankTest, TheSearchIsAsFullBm25OnASmallBank) {
  std::vector<Item> items;
  items.reserve(60);
  for (int i = 0; i < 60; ++i) {
    items.push_back(small_item(fmt::format("t{}", i),
                               fmt::format("w{} w{} w{} {}", i % 7, i % 5, i % 3,
                                           std::string(static_cast<std::size_t>(i), 'z'))));
  }
  ASSERT_TRUE(bank_->repository().add(items, context_));
  const auto all = bank_->repository().candidates({{"w1", "w2", "w4"}, {}}, context_);
  Candidates exhaustive = candidates_of(items, all->frequencies);
  ASSERT_EQ(exhaustive.total_length, all->total_length);
  SearchOptions options;
  options.count = 20;
  options.uses_history = false;
  RankOptions same;
  same.uses_history = false;
  const auto expected = rank(exhaustive, {"w1", "w2", "w4"}, same, 20);
  const auto found = bank_->search("w1 w2 w4", options, context_);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_complete);
  ASSERT_EQ(found->hits.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found->hits[i].item.id, expected[i].id);
    EXPECT_DOUBLE_EQ(found->hits[i].score, expected[i].score);
  }
}

TEST_F(MemoryBankTest, UsesAreKeptAtTheEnd) {
  const Item item = small_item("a", "words");
  ASSERT_TRUE(bank_->repository().add({item}, context_));
  bank_->note_use(item.id, Usage::Retrieved);
  bank_->note_use(item.id, Usage::Retrieved);
  bank_->note_use(item.id, Usage::Hurt);
  EXPECT_EQ(bank_->repository().get({item.id}, context_)->at(0).counters, Counters{});
  bank_.reset();
  const auto again = MemoryBank::open(folder_ / "bank.db", false, real_env(), context_);
  const Item kept = (*again)->repository().get({item.id}, context_)->at(0);
  EXPECT_EQ(kept.counters, (Counters{2, 0, 1}));
  EXPECT_TRUE(kept.last_used_at);
}

TEST_F(MemoryBankTest, AQuestionNeedsWords) {
  EXPECT_EQ(bank_->search("?!", {}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(bank_->search("anything", {}, context_)->hits, IsEmpty());
}

}  // namespace
}  // namespace helve::memory
