// What every MemoryRepository does, as tests that run on each of them: a test file names its kind
// with INSTANTIATE_TEST_SUITE_P(Kind, RepositorySuite, ::testing::Values(make_place)).
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "toolkit/memory/bank_place_testing.h"

namespace helve::memory {

class RepositorySuite : public ::testing::TestWithParam<MakePlace> {
 protected:
  void SetUp() override {
    place_ = GetParam()();
    if (place_ == nullptr) GTEST_SKIP() << "there is no server for it on this machine";
  }
  std::unique_ptr<MemoryRepository> open(bool is_made = true) {
    auto opened = place_->open(is_made);
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  std::string added(MemoryRepository& bank, const Item& item) {
    const auto report = bank.add({item}, context_);
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? report->items.at(0).id : "";
  }
  static std::vector<std::string> found(MemoryRepository& bank, const std::string& text,
                                        const ItemFilter& filter = {}) {
    return found_in(bank, text, filter);
  }

  std::unique_ptr<BankPlace> place_;
  OpContext context_;
};

TEST_P(RepositorySuite, ABankThatIsNotThereIsMadeOnlyOnRequest) {
  EXPECT_EQ(place_->open(false).error().code, ErrorCode::NotFound);
  EXPECT_TRUE(open(true));
  EXPECT_TRUE(open(false));
}

TEST_P(RepositorySuite, WhatWasAddedIsThereWhenItIsOpenedAgain) {
  const Item item = item_of("Count first", "Ask how many there are.");
  {
    const auto bank = open();
    const auto report = bank->add({item, item_of("Other", "text")}, context_);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->change, 1U);
    EXPECT_THAT(report->items, SizeIs(2));
  }
  const auto bank = open(false);
  const auto items = bank->get({item.id}, context_);
  ASSERT_TRUE(items);
  EXPECT_EQ(items->at(0).content, item.content);
  EXPECT_NE(items->at(0).created_at, WallTime{});
  EXPECT_EQ(bank->get({"0123456789ab"}, context_).error().code, ErrorCode::NotFound);
  EXPECT_THAT(bank->take_warnings(), IsEmpty());
}

TEST_P(RepositorySuite, TheSameTitleAndContentIsOneItem) {
  const auto bank = open();
  const Item item = item_of("a", "b");
  EXPECT_EQ(bank->add({item, item}, context_)->items.at(1).state, AddState::Exists);
  const auto again = bank->add({item}, context_);
  EXPECT_EQ(again->items.at(0).state, AddState::Exists);
  EXPECT_FALSE(again->change);
  EXPECT_EQ(bank->stats(context_)->items, 1U);
}

TEST_P(RepositorySuite, SearchesTitleDescTagsAndContent) {
  const auto bank = open();
  Item tagged = item_of("x1", "y1");
  tagged.tags = {"zebrafish"};
  Item described = item_of("x2", "y2");
  described.desc = "About zebrafish.";
  const auto all = bank->add({item_of("Zebrafish first", "c"), tagged, described,
                              item_of("x3", "A zebrafish."), item_of("x4", "mouse")},
                             context_);
  ASSERT_TRUE(all);
  EXPECT_THAT(found(*bank, "ZEBRAFISH"), SizeIs(4));
  EXPECT_THAT(found(*bank, "mice"), IsEmpty());
  EXPECT_THAT(found(*bank, "\"* OR ) NEAR("), IsEmpty());
  ItemFilter filter;
  filter.tags = {"zebrafish"};
  EXPECT_THAT(found(*bank, "zebrafish", filter), ElementsAre(tagged.id));
}

TEST_P(RepositorySuite, FiltersByPolarityAndDomain) {
  const auto bank = open();
  Item failed = item_of("Join", "wrong direction", ItemSource::Failure);
  failed.domain = "uniprot";
  const Item worked = item_of("Join", "right direction");
  ASSERT_TRUE(bank->add({failed, worked}, context_));
  ItemFilter filter;
  filter.polarity = ItemSource::Failure;
  EXPECT_THAT(found(*bank, "direction", filter), ElementsAre(failed.id));
  filter = {};
  filter.domain = "uniprot";
  EXPECT_THAT(found(*bank, "direction", filter), ElementsAre(failed.id));
  filter.domain = "uni";
  EXPECT_THAT(found(*bank, "direction", filter), IsEmpty());
}

TEST_P(RepositorySuite, WhatIsNotActiveIsNotFoundUnlessAskedFor) {
  const auto bank = open();
  Item doubtful = item_of("lesson a", "one");
  doubtful.quarantined = true;
  const Item old = item_of("lesson b", "two");
  const Item newer = item_of("lesson c", "three");
  const Item wrong = item_of("lesson d", "four");
  ASSERT_TRUE(bank->add({doubtful, old, newer, wrong}, context_));
  ASSERT_TRUE(bank->supersede(old.id, newer.id, context_));
  ASSERT_TRUE(bank->retract(wrong.id, context_));
  EXPECT_THAT(found(*bank, "lesson"), ElementsAre(newer.id));
  ItemFilter filter;
  filter.with_quarantined = true;
  EXPECT_THAT(found(*bank, "one lesson", filter), ElementsAre(doubtful.id, newer.id));
  EXPECT_THAT(found(*bank, "lesson", whole_bank()), SizeIs(4));
  const auto stats = bank->stats(context_);
  EXPECT_EQ(stats->active, 1U);
  EXPECT_EQ(stats->quarantined + stats->superseded + stats->retracted, 3U);
  // Nor does it come back by being added again.
  EXPECT_EQ(bank->add({wrong}, context_)->items.at(0).state, AddState::Retracted);
  EXPECT_THAT(found(*bank, "lesson"), ElementsAre(newer.id));
}

TEST_P(RepositorySuite, AnEditIsFoundByItsNewWordsAlone) {
  const auto bank = open();
  const Item item = item_of("Title", "content");
  added(*bank, item);
  ItemEdit edit;
  edit.desc = "For zebras.";
  ASSERT_EQ(bank->edit(item.id, edit, context_)->id, item.id);
  EXPECT_THAT(found(*bank, "zebra"), ElementsAre(item.id));
  EXPECT_THAT(found(*bank, "helps"), IsEmpty());
  edit = {};
  edit.content = "about seals";
  const auto replaced = bank->edit(item.id, edit, context_);
  ASSERT_TRUE(replaced);
  EXPECT_NE(replaced->id, item.id);
  EXPECT_EQ(bank->get({item.id}, context_)->at(0).superseded_by, replaced->id);
  EXPECT_THAT(found(*bank, "seals"), ElementsAre(replaced->id));
  EXPECT_EQ(bank->edit(item.id, edit, context_).error().hint, "edit that one");
  edit.content = "about seals";
  EXPECT_THAT(bank->edit(replaced->id, edit, context_).error().message, HasSubstr("so already"));
  edit.title = "";
  EXPECT_EQ(bank->edit(replaced->id, edit, context_).error().message, "title is empty");
}

TEST_P(RepositorySuite, EveryChangeCanBeUndoneAndRedone) {
  const auto bank = open();
  const Item item = item_of("Title", "content words");
  added(*bank, item);
  ItemEdit edit;
  edit.content = "other words";
  const auto edited = bank->edit(item.id, edit, context_);
  ASSERT_TRUE(edited);
  ASSERT_TRUE(bank->retract(edited->id, context_));
  EXPECT_THAT(found(*bank, "words"), IsEmpty());
  // The last one, then the one before.
  const auto undone = bank->undo(std::nullopt, context_);
  ASSERT_TRUE(undone) << undone.error().to_string();
  EXPECT_THAT(found(*bank, "words"), ElementsAre(edited->id));
  ASSERT_TRUE(bank->undo(std::nullopt, context_));
  EXPECT_THAT(found(*bank, "words"), ElementsAre(item.id));
  EXPECT_EQ(bank->get({edited->id}, context_).error().code, ErrorCode::NotFound);
  ASSERT_TRUE(bank->undo(std::nullopt, context_));
  EXPECT_THAT(found(*bank, "words"), IsEmpty());
  EXPECT_EQ(bank->undo(std::nullopt, context_).error().message, "there is nothing to undo");
  // Undoing the undoing of the addition.
  ASSERT_TRUE(bank->undo(6, context_));
  EXPECT_THAT(found(*bank, "words"), ElementsAre(item.id));
  EXPECT_EQ(bank->undo(99, context_).error().code, ErrorCode::NotFound);
  EXPECT_THAT(bank->undo(2, context_).error().message, HasSubstr("undone already"));
  const auto history = bank->history(item.id, 10, context_);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->front().kind, ChangeKind::Undo);
  EXPECT_EQ(history->front().undoes, 6U);
  EXPECT_EQ(history->back().kind, ChangeKind::Add);
}

TEST_P(RepositorySuite, WhatWasChangedLaterIsNotUndoneBeneathIt) {
  const auto bank = open();
  const Item item = item_of("Title", "content");
  added(*bank, item);
  ItemEdit edit;
  edit.domain = "a";
  ASSERT_TRUE(bank->edit(item.id, edit, context_));
  EXPECT_THAT(bank->undo(1, context_).error().message, HasSubstr("was changed after change 1"));
  // Use alone is no change.
  ASSERT_TRUE(bank->note_usage({{item.id, Usage::Helped, 3}, {"0123456789ab"}}, context_));
  ASSERT_TRUE(bank->undo(2, context_));
  EXPECT_EQ(bank->get({item.id}, context_)->at(0).counters.helped, 3U);
  EXPECT_EQ(bank->get({item.id}, context_)->at(0).domain, "");
}

TEST_P(RepositorySuite, ItemsDoNotSupersedeEachOtherInACircle) {
  const auto bank = open();
  const Item a = item_of("a", "a");
  const Item b = item_of("b", "b");
  ASSERT_TRUE(bank->add({a, b}, context_));
  EXPECT_EQ(bank->supersede(a.id, a.id, context_).error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(bank->supersede(a.id, b.id, context_));
  EXPECT_EQ(bank->supersede(b.id, a.id, context_).error().code, ErrorCode::InvalidInput);
}

TEST_P(RepositorySuite, NumbersOfWordsFollowEveryChange) {
  const auto bank = open();
  const Item item = item_of("alpha", "beta");
  added(*bank, item);
  added(*bank, item_of("gamma", "beta"));
  const auto numbers = [&] {
    const auto all = bank->candidates({{"alpha", "beta", "help"}, {}}, context_);
    EXPECT_TRUE(all->is_complete);
    std::vector<std::uint64_t> list = all->frequencies;
    list.push_back(all->documents);
    list.push_back(all->total_length);
    return list;
  };
  EXPECT_THAT(numbers(), ElementsAre(1, 2, 2, 2, 2 * (4 + 3 * 3 + 2)));
  ASSERT_TRUE(bank->undo(1, context_));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 1, 1, 4 + 3 * 3 + 2));
  ItemEdit edit;
  edit.desc = "alpha";
  ASSERT_TRUE(bank->edit(id_of(item_of("gamma", "beta")), edit, context_));
  EXPECT_THAT(numbers(), ElementsAre(1, 1, 0, 1, 4 + 3 + 2));
}

TEST_P(RepositorySuite, AWrongChangeDoesNotTakeOthersOfItsCommitAlong) {
  const auto bank = open();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        if (i % 4 == 3) {
          if (!bank->retract("0123456789ab", context_)) ++failures;
        } else {
          EXPECT_TRUE(bank->add({item_of(fmt::format("t{} i{}", t, i), "shared")}, context_));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 8 * 5);
  EXPECT_EQ(bank->stats(context_)->items, 8U * 15);
  EXPECT_EQ(bank->candidates({{"shared"}, {}}, context_)->frequencies.at(0), 8U * 15);
}

TEST_P(RepositorySuite, TwoThatShareABankSeeEachOther) {
  const auto one = open();
  const auto other = open();
  const Item item = item_of("Shared", "words");
  added(*one, item);
  EXPECT_THAT(found(*other, "words"), ElementsAre(item.id));
  ASSERT_TRUE(other->retract(item.id, context_));
  EXPECT_THAT(found(*one, "words"), IsEmpty());
}

TEST_P(RepositorySuite, VisitsAllInTheOrderInWhichTheyCame) {
  const auto bank = open();
  std::vector<Item> items;
  for (int i = 0; i < 1'100; ++i) items.push_back(item_of(fmt::format("t{}", i), "x"));
  items[5].quarantined = true;
  ASSERT_TRUE(bank->add(items, context_));
  std::vector<std::string> seen;
  const auto visitor = [&](const Item& item) -> Result<void> {
    seen.push_back(item.title);
    return {};
  };
  ASSERT_TRUE(bank->visit({}, visitor, context_));
  ASSERT_THAT(seen, SizeIs(1'099));
  EXPECT_EQ(seen[4], "t4");
  EXPECT_EQ(seen[5], "t6");
}

// More items than candidates: those with the rare word are all there, and of the others those that
// have more of the words.
TEST_P(RepositorySuite, CandidatesAreThoseWithRareWordsFirst) {
  const auto bank = open();
  std::vector<Item> items;
  for (int i = 0; i < 300; ++i) {
    items.push_back(item_of(
        fmt::format("t{}", i),
        fmt::format("common {} {}", i % 3 == 0 ? "often" : "so", i % 100 == 7 ? "rare" : "usual")));
  }
  ASSERT_TRUE(bank->add(items, context_));
  CandidateRequest request{{"common", "often", "rare"}, {}, 20};
  const auto all = bank->candidates(request, context_);
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->is_complete);
  EXPECT_THAT(all->items, SizeIs(20));
  EXPECT_THAT(all->frequencies, ElementsAre(300, 100, 3));
  std::size_t rare = 0;
  std::size_t often = 0;
  for (const Candidate& one : all->items) {
    rare += one.bag.weight_of("rare") > 0 ? 1 : 0;
    often += one.bag.weight_of("often") > 0 ? 1 : 0;
  }
  EXPECT_EQ(rare, 3U);
  EXPECT_GE(often, 17U);
}

TEST_P(RepositorySuite, EveryFieldComesBackAsItWas) {
  Item item = item_of("It's \"so\" \\ {a,b} \u00e9\u4e2d\U0001F600",
                      "line\n\ttab; DROP TABLE item; --\r\n%s");
  item.src = ItemSource::Contrastive;
  item.tags = {"a b", "c'\\\"d", "{}", "NULL"};
  item.scope = ItemScope::Exception;
  item.domain = "dom'ain";
  item.schema_fingerprint = "f\\n";
  item.provenance = {"run", -7, "right", "h1", "0\"0"};
  item.counters = {1, 2, 3};
  item.created_at = WallTime(std::chrono::seconds(1'700'000'000));
  item.last_used_at = WallTime(std::chrono::seconds(1'700'000'001));
  item.verified_at = WallTime(std::chrono::seconds(-5));
  item.quarantined = true;
  item.id = id_of(item);
  ASSERT_TRUE(check_item(item));
  const auto bank = open();
  const Item other = item_of("other", "words");
  ASSERT_TRUE(bank->add({item, other}, context_));
  const auto back = bank->get({other.id, item.id, other.id}, context_);
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(back->at(1), item);
  EXPECT_EQ(back->at(0).id, other.id);
  EXPECT_EQ(back->at(2), back->at(0));
  // And when it went and came back.
  ASSERT_TRUE(bank->undo(1, context_));
  EXPECT_FALSE(bank->get({item.id}, context_));
  ASSERT_TRUE(bank->undo(2, context_));
  EXPECT_EQ(bank->get({item.id}, context_)->at(0), item);
}

TEST_P(RepositorySuite, TheHistoryHasWhatWasThereBefore) {
  const auto bank = open();
  const Item item = item_of("a", "b");
  added(*bank, item);
  ItemEdit edit;
  edit.domain = "d";
  ASSERT_TRUE(bank->edit(item.id, edit, context_));
  added(*bank, item_of("other", "c"));
  ASSERT_TRUE(bank->undo(2, context_));
  const auto all = bank->history(std::nullopt, 100, context_);
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(4));
  EXPECT_EQ(all->at(0).kind, ChangeKind::Undo);
  EXPECT_EQ(all->at(0).undoes, 2U);
  EXPECT_EQ(all->at(0).before->domain, "d");
  EXPECT_EQ(all->at(2).undone_by, 4U);
  EXPECT_EQ(all->at(2).before->domain, "");
  EXPECT_FALSE(all->at(3).before);
  EXPECT_THAT(*bank->history(item.id, 100, context_), SizeIs(3));
  EXPECT_THAT(*bank->history(std::nullopt, 1, context_), SizeIs(1));
  EXPECT_THAT(*bank->history("0123456789ab", 10, context_), IsEmpty());
}

// On a bank with more items than candidates, too: rank, filters and what is said to be complete.
TEST_P(RepositorySuite, TagsAreLookedForAmongAllThatHaveTheWords) {
  const auto bank = open();
  std::vector<Item> items;
  for (int i = 0; i < 200; ++i) {
    items.push_back(item_of(fmt::format("t{}", i), "common words"));
    if (i < 3) items.back().tags = {"first", "old"};
  }
  ASSERT_TRUE(bank->add(items, context_));
  CandidateRequest request{{"common"}, {}, 10};
  request.filter.tags = {"old", "first"};
  const auto all = bank->candidates(request, context_);
  ASSERT_TRUE(all);
  EXPECT_THAT(all->items, SizeIs(3));
  request.filter = {};
  EXPECT_THAT(bank->candidates(request, context_)->items, SizeIs(10));
  EXPECT_EQ(bank->candidates(request, context_)->items.at(0).id, items.back().id);
}

TEST_P(RepositorySuite, StatisticsCountBySourceAndDomain) {
  const auto bank = open();
  std::vector<Item> items = {item_of("a", "1"), item_of("b", "2", ItemSource::Failure),
                             item_of("c", "3", ItemSource::Failure), item_of("d", "4")};
  items[0].domain = "y";
  items[1].domain = items[2].domain = "x";
  ASSERT_TRUE(bank->add(items, context_));
  ASSERT_TRUE(bank->retract(items[3].id, context_));
  const auto stats = bank->stats(context_);
  ASSERT_TRUE(stats) << stats.error().to_string();
  using Pair = std::pair<std::string, std::uint64_t>;
  EXPECT_THAT(stats->sources, ElementsAre(Pair("success", 1), Pair("failure", 2)));
  EXPECT_THAT(stats->domains, ElementsAre(Pair("x", 2), Pair("y", 1)));
  EXPECT_EQ(stats->items, 4U);
  EXPECT_EQ(stats->active, 3U);
  EXPECT_EQ(stats->changes, 2U);
  EXPECT_GT(stats->bytes, 0U);
}

TEST_P(RepositorySuite, UsesAreCountedAndDated) {
  const auto bank = open();
  const Item item = item_of("a", "b");
  added(*bank, item);
  ASSERT_TRUE(bank->note_usage({{item.id, Usage::Retrieved, 2},
                                {item.id, Usage::Helped, 3},
                                {item.id, Usage::Hurt, 4},
                                {item.id, Usage::Hurt, 1},
                                {"0123456789ab", Usage::Hurt, 1}},
                               context_));
  const Item used = bank->get({item.id}, context_)->at(0);
  EXPECT_EQ(used.counters, (Counters{2, 3, 5}));
  EXPECT_TRUE(used.last_used_at);
  EXPECT_THAT(*bank->history(std::nullopt, 10, context_), SizeIs(1));
}

TEST_P(RepositorySuite, NothingHappensAfterACancellation) {
  const auto bank = open();
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(bank->add({item_of("a", "b")}, cancelled).error().code, ErrorCode::Cancelled);
  EXPECT_EQ(bank->stats(context_)->items, 0U);
  // And it goes on with the next one.
  EXPECT_TRUE(bank->add({item_of("a", "b")}, context_));
}

TEST_P(RepositorySuite, VectorsAreKeptBesideItems) {
  const auto bank = open();
  const Item a = item_of("a", "1");
  const Item b = item_of("b", "2");
  const Item gone = item_of("c", "3");
  ASSERT_TRUE(bank->add({a, b, gone}, context_));
  ASSERT_TRUE(bank->retract(gone.id, context_));
  EXPECT_THAT(*bank->without_vectors("m", 10, context_), SizeIs(2));
  EXPECT_THAT(*bank->without_vectors("m", 1, context_), SizeIs(1));
  ASSERT_TRUE(bank->put_vectors(
      "m", {{a.id, {0.5F, -0.25F}}, {"0123456789ab", {1, 0}}, {b.id, {1, 0}}}, context_));
  ASSERT_TRUE(bank->put_vectors("m", {{b.id, {0, 1}}}, context_));
  ASSERT_TRUE(bank->put_vectors("other", {{a.id, {1, 2, 3}}}, context_));
  EXPECT_EQ(bank->put_vectors("m", {{a.id, {1}}}, context_).error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(*bank->without_vectors("m", 10, context_), IsEmpty());
  VectorRequest request{.model = "m"};
  auto table = bank->vectors(request, context_);
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ((*table)->dims, 2U);
  EXPECT_THAT((*table)->ids, ElementsAre(a.id, b.id));
  EXPECT_THAT((*table)->values, ElementsAre(0.5F, -0.25F, 0, 1));
  // Nothing new, then something.
  request.known_stamp = (*table)->stamp;
  EXPECT_FALSE(*bank->vectors(request, context_));
  ItemEdit edit;
  edit.domain = "d";
  ASSERT_TRUE(bank->edit(a.id, edit, context_));
  EXPECT_FALSE(*bank->vectors(request, context_));
  // With its text an item loses its vector, and when it goes.
  edit.desc = "Another sentence.";
  ASSERT_TRUE(bank->edit(a.id, edit, context_));
  table = bank->vectors(request, context_);
  ASSERT_TRUE(*table);
  EXPECT_THAT((*table)->ids, ElementsAre(b.id));
  request.known_stamp = (*table)->stamp;
  ASSERT_TRUE(bank->undo(4, context_));
  ASSERT_TRUE(bank->undo(3, context_));
  ASSERT_TRUE(bank->undo(2, context_));
  ASSERT_TRUE(bank->undo(1, context_));
  EXPECT_THAT((*bank->vectors(request, context_))->ids, IsEmpty());
  ASSERT_TRUE(bank->undo(8, context_));
  ASSERT_TRUE(bank->put_vectors("m", {{a.id, {1, 0}}, {b.id, {1, 0}}}, context_));
  EXPECT_EQ(bank->vectors({"m", 3, {}}, context_).error().code, ErrorCode::LimitExceeded);
}

}  // namespace helve::memory
