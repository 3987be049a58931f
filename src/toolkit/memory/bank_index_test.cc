// The index of a file over many spans, against the words of the items themselves.
#include "toolkit/memory/bank_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "base/real_env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/rank.h"
#include "toolkit/memory/sqlite_repository.h"

namespace helve::memory {
namespace {

TEST(ListEntries, AreReadAsTheyWereWritten) {
  std::string bytes;
  append_entry(bytes, 5, 2);
  append_entry(bytes, 0, 300);
  append_entry(bytes, 1'000, 1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> met;
  const auto note = [&](std::uint32_t place, std::uint32_t weight) {
    met.emplace_back(place, weight);
  };
  EXPECT_TRUE(visit_entries(bytes, 1'008, note));
  EXPECT_THAT(met, ::testing::ElementsAre(::testing::Pair(5, 2), ::testing::Pair(6, 300),
                                          ::testing::Pair(1'007, 1)));
  EXPECT_FALSE(visit_entries(bytes, 1'007, note)) << "a place behind the span";
  EXPECT_FALSE(visit_entries(std::string_view(bytes).substr(0, 1), 1'008, note)) << "cut";
  EXPECT_FALSE(visit_entries(std::string(20, '\xFF'), 1'008, note)) << "no number";
  EXPECT_TRUE(visit_entries("", 1'008, note));
}

// Whatever the bytes are: places ascend and are in the span, and what is a list comes back.
TEST(ListEntries, AnyBytesAreReadWithinTheSpan) {
  std::mt19937 random(11);
  std::size_t lists = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 24, '\0');
    // Small bytes are ends of numbers, so that many are lists.
    for (char& byte : bytes) byte = static_cast<char>(random() % (round % 2 == 0 ? 256 : 136));
    const std::uint64_t places = random() % 2 == 0 ? 1'024 : UINT32_MAX;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> met;
    std::string again;
    const bool is_list =
        visit_entries(bytes, places, [&](std::uint32_t place, std::uint32_t weight) {
          ASSERT_LT(place, places);
          ASSERT_TRUE(met.empty() || met.back().first < place);
          append_entry(again, met.empty() ? place : place - met.back().first - 1, weight);
          met.emplace_back(place, weight);
        });
    if (!is_list) continue;
    ++lists;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> met_again;
    ASSERT_TRUE(visit_entries(again, places, [&](std::uint32_t place, std::uint32_t weight) {
      met_again.emplace_back(place, weight);
    }));
    ASSERT_EQ(met_again, met);
  }
  EXPECT_GT(lists, 1'000U);
}

Item indexed_item(std::string title, std::string content) {
  Item item;
  item.title = std::move(title);
  item.desc = "One of many.";
  item.content = std::move(content);
  item.src = ItemSource::Success;
  item.id = id_of(item);
  return item;
}

class BankIndexTest : public ::testing::Test {
 protected:
  std::unique_ptr<MemoryRepository> open() {
    BankFileOptions options;
    options.path = folder_.path() / "bank.db";
    auto opened = open_sqlite_repository(options, real_env(), real_shared_files(), {});
    EXPECT_TRUE(opened) << opened.error().to_string();
    return std::move(*opened);
  }

  // More than one long span, a few short ones and some that are in none.
  std::vector<Item> fill(MemoryRepository& bank) {
    constexpr int kItems = static_cast<int>(kShortSpan * (kShortSpansMax + 3) + 100);
    std::vector<Item> items;
    std::mt19937 random(7);
    for (int i = 0; i < kItems; ++i) {
      Item item = indexed_item(fmt::format("t{}", i),
                               fmt::format("every w{} v{} {}", random() % 50, random() % 5'000,
                                           i % 3 == 0 ? "third" : ""));
      if (i % 7 == 0) item.domain = "seven";
      if (i % 11 == 0) item.tags = {"eleven"};
      items.push_back(std::move(item));
    }
    for (std::size_t at = 0; at < items.size(); at += 5'000) {
      const auto end =
          items.begin() + static_cast<std::ptrdiff_t>(std::min(at + 5'000, items.size()));
      EXPECT_TRUE(bank.add({items.begin() + static_cast<std::ptrdiff_t>(at), end}, {}));
    }
    return items;
  }

  // What ranking everything would say.
  std::vector<Ranked> all_ranked(MemoryRepository& bank, const CandidateRequest& request,
                                 std::size_t count) {
    Candidates all = *bank.candidates(request, {});
    all.items.clear();
    EXPECT_TRUE(bank.visit(request.filter,
                           [&](const Item& item) -> Result<void> {
                             auto known = terms_.find(item.id);
                             if (known == terms_.end()) {
                               known = terms_.emplace(item.id, item_terms(item)).first;
                             }
                             const ItemTerms& terms = known->second;
                             Candidate one;
                             one.id = item.id;
                             one.bag = terms.bag;
                             one.length = terms.length;
                             all.items.push_back(std::move(one));
                             return {};
                           },
                           {}));
    return rank(all, request.terms, {Ranker::Bm25, false, {}}, count);
  }

  // Of several that are as good, any may be the last.
  static std::vector<double> scores(const std::vector<Ranked>& ranked) {
    std::vector<double> out;
    for (const Ranked& one : ranked) out.push_back(one.score);
    return out;
  }

  TempDirectory folder_;
  std::map<std::string, ItemTerms> terms_;  // by id: making them takes longer than ranking
};

TEST_F(BankIndexTest, FindsWhatRankingEverythingWouldFind) {
  const auto bank = open();
  const std::vector<Item> items = fill(*bank);
  std::vector<CandidateRequest> requests;
  for (int i = 0; i < 20; ++i) {
    requests.push_back({{"every", fmt::format("w{}", i), fmt::format("v{}", i * 31)}, {}});
    CandidateRequest filtered = requests.back();
    if (i % 2 == 0) filtered.filter.domain = "seven";
    if (i % 3 == 0) filtered.filter.tags = {"eleven"};
    if (i % 5 == 0) filtered.filter.polarity = ItemSource::Success;
    requests.push_back(filtered);
  }
  constexpr std::size_t kBest = 6;
  for (const CandidateRequest& request : requests) {
    const auto found = bank->candidates(request, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->documents, items.size());
    EXPECT_EQ(found->frequencies[0], items.size());
    EXPECT_EQ(scores(rank(*found, request.terms, {Ranker::Bm25, false, {}}, kBest)),
              scores(all_ranked(*bank, request, kBest)));
  }
}

TEST_F(BankIndexTest, NumbersOfWordsFollowChangesOfItemsInLists) {
  const auto bank = open();
  const std::vector<Item> items = fill(*bank);
  const auto frequencies = [&] {
    const auto found = bank->candidates({{"third", "changed"}, {}}, {});
    return found ? found->frequencies : std::vector<std::uint64_t>();
  };
  const std::vector<std::uint64_t> before = frequencies();
  ASSERT_EQ(before[0], (items.size() + 2) / 3);
  EXPECT_EQ(before[1], 0U);
  ItemEdit edit;
  edit.desc = "Changed since.";
  ASSERT_TRUE(bank->edit(items[0].id, edit, {}));
  EXPECT_THAT(frequencies(), ::testing::ElementsAre(before[0], 1U));
  ASSERT_TRUE(bank->evict({items[0].id, items[3].id}, {}));
  EXPECT_THAT(frequencies(), ::testing::ElementsAre(before[0] - 2, 0U));
  ASSERT_TRUE(bank->undo(std::nullopt, {}));
  EXPECT_THAT(frequencies(), ::testing::ElementsAre(before[0], 1U));
  const auto found = bank->candidates({{"changed"}, {}}, {});
  ASSERT_TRUE(found);
  ASSERT_THAT(found->items, ::testing::SizeIs(1));
  EXPECT_EQ(found->items[0].id, items[0].id);
}

TEST_F(BankIndexTest, WhatNobodyVerifiedDoesNotStandBeforeWhatSomebodyDid) {
  const auto bank = open();
  std::vector<Item> items;
  for (int i = 0; i < 4 * static_cast<int>(kShortSpan); ++i) {
    items.push_back(indexed_item(fmt::format("t{}", i), "disease disease of a protein"));
    items.back().quarantined = i != 0;
    if (i == 0) items.back() = indexed_item("the one", "a protein that was looked at by somebody");
  }
  ASSERT_TRUE(bank->add(items, {}));
  const auto found = bank->candidates({{"disease", "protein"}, {}}, {});
  ASSERT_TRUE(found);
  ASSERT_THAT(found->items, ::testing::SizeIs(1));
  EXPECT_EQ(found->items[0].id, items[0].id);
  // An item that becomes active is found, and one that ceases to be is not.
  ItemEdit edit;
  edit.quarantined = false;
  ASSERT_TRUE(bank->edit(items[5].id, edit, {}));
  ASSERT_TRUE(bank->retract(items[0].id, {}));
  const auto then = bank->candidates({{"disease", "protein"}, {}}, {});
  ASSERT_THAT(then->items, ::testing::SizeIs(1));
  EXPECT_EQ(then->items[0].id, items[5].id);
}

TEST_F(BankIndexTest, IsMadeAgainWhenWordsAreReadInAnotherWay) {
  std::vector<Item> items;
  {
    const auto bank = open();
    items = fill(*bank);
  }
  {
    auto store =
        sqlite::Store::open({(folder_.path() / "bank.db").native(), sqlite::StoreUse::Write, 0});
    ASSERT_TRUE(store);
    ASSERT_TRUE((*store)->execute(
        "UPDATE total SET terms_version = 0; UPDATE item SET bag = x''; DELETE FROM long_list"));
  }
  const auto bank = open();
  const auto found = bank->candidates({{"third", "every"}, {}}, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->frequencies, ::testing::ElementsAre((items.size() + 2) / 3, items.size()));
  EXPECT_EQ(found->documents, items.size());
}

}  // namespace
}  // namespace helve::memory
