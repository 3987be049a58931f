#include "toolkit/memory/sqlite_repository.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank.h"

namespace helve::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Item item_of(const std::string& title, const std::string& content,
             ItemSource src = ItemSource::Success) {
  Item item;
  item.title = title;
  item.desc = "When it helps.";
  item.content = content;
  item.src = src;
  item.id = id_of(item);
  return item;
}

class SqliteRepositoryTest : public ::testing::Test {
 protected:
  std::unique_ptr<MemoryRepository> open(bool is_made = true) {
    auto opened = try_open(is_made);
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  Result<std::unique_ptr<MemoryRepository>> try_open(bool is_made = true,
                                                     std::uint64_t bytes_max = 0) {
    return open_sqlite_repository({path(), is_made, bytes_max}, real_env(), real_shared_files(),
                                  context_);
  }
  std::filesystem::path path() const { return folder_ / "bank.db"; }
  std::vector<std::string> found(MemoryRepository& bank, const std::string& text,
                                 const ItemFilter& filter = {}) {
    const auto found = bank.candidates({query_terms(text), filter}, context_);
    EXPECT_TRUE(found) << found.error().to_string();
    std::vector<std::string> ids;
    if (!found) return ids;
    for (const Ranked& one : rank(*found, query_terms(text), {}, 100)) ids.push_back(one.id);
    return ids;
  }
  std::string added(MemoryRepository& bank, const Item& item) {
    const auto report = bank.add({item}, context_);
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? report->items.at(0).id : "";
  }
  void damage() {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    for (const int offset : {4'096, 8'192, 12'288, 16'384}) {
      file.seekp(offset);
      file << std::string(2'000, '\x5A');
    }
  }

  TempDirectory folder_;
  OpContext context_;
};

TEST_F(SqliteRepositoryTest, WhatWasAddedIsThereWhenItIsOpenedAgain) {
  const Item item = item_of("Count first", "Ask how many there are.");
  {
    const auto bank = open();
    const auto report = bank->add({item, item_of("Other", "text")}, context_);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->change, 1U);
    EXPECT_THAT(report->items, SizeIs(2));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bank.db-wal") &&
               std::filesystem::file_size(folder_ / "bank.db-wal") > 0);
  const auto bank = open(false);
  const auto items = bank->get({item.id}, context_);
  ASSERT_TRUE(items);
  EXPECT_EQ(items->at(0).content, item.content);
  EXPECT_NE(items->at(0).created_at, WallTime{});
  EXPECT_EQ(bank->get({"0123456789ab"}, context_).error().code, ErrorCode::NotFound);
  EXPECT_THAT(bank->take_warnings(), IsEmpty());
}

TEST_F(SqliteRepositoryTest, ABankThatIsNotThereIsMadeOnlyOnRequest) {
  EXPECT_EQ(try_open(false).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(try_open(true));
  EXPECT_EQ(std::filesystem::status(path()).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST_F(SqliteRepositoryTest, TheSameTitleAndContentIsOneItem) {
  const auto bank = open();
  const Item item = item_of("a", "b");
  EXPECT_EQ(bank->add({item, item}, context_)->items.at(1).state, AddState::Exists);
  const auto again = bank->add({item}, context_);
  EXPECT_EQ(again->items.at(0).state, AddState::Exists);
  EXPECT_FALSE(again->change);
  EXPECT_EQ(bank->stats(context_)->items, 1U);
}

TEST_F(SqliteRepositoryTest, SearchesTitleDescTagsAndContent) {
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

TEST_F(SqliteRepositoryTest, FiltersByPolarityAndDomain) {
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

TEST_F(SqliteRepositoryTest, WhatIsNotActiveIsNotFoundUnlessAskedFor) {
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

TEST_F(SqliteRepositoryTest, AnEditIsFoundByItsNewWordsAlone) {
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

TEST_F(SqliteRepositoryTest, EveryChangeCanBeUndoneAndRedone) {
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

TEST_F(SqliteRepositoryTest, WhatWasChangedLaterIsNotUndoneBeneathIt) {
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

TEST_F(SqliteRepositoryTest, ItemsDoNotSupersedeEachOtherInACircle) {
  const auto bank = open();
  const Item a = item_of("a", "a");
  const Item b = item_of("b", "b");
  ASSERT_TRUE(bank->add({a, b}, context_));
  EXPECT_EQ(bank->supersede(a.id, a.id, context_).error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(bank->supersede(a.id, b.id, context_));
  EXPECT_EQ(bank->supersede(b.id, a.id, context_).error().code, ErrorCode::InvalidInput);
}

TEST_F(SqliteRepositoryTest, NumbersOfWordsFollowEveryChange) {
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

TEST_F(SqliteRepositoryTest, AWrongChangeDoesNotTakeOthersOfItsCommitAlong) {
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

TEST_F(SqliteRepositoryTest, TwoThatShareAFileSeeEachOther) {
  const auto one = open();
  const auto other = open();
  const Item item = item_of("Shared", "words");
  added(*one, item);
  EXPECT_THAT(found(*other, "words"), ElementsAre(item.id));
  ASSERT_TRUE(other->retract(item.id, context_));
  EXPECT_THAT(found(*one, "words"), IsEmpty());
}

TEST_F(SqliteRepositoryTest, ADamagedFileIsSetAsideAndToldOf) {
  std::vector<Item> items;
  for (int i = 0; i < 200; ++i) items.push_back(item_of(fmt::format("t{}", i), "words of it"));
  { ASSERT_TRUE(open()->add(items, context_)); }
  damage();
  const auto bank = open();
  // Reading notices it at the latest.
  (void)bank->candidates({{"word"}, {}}, context_);
  (void)bank->stats(context_);
  const auto warnings = bank->take_warnings();
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("was damaged and is now"));
  ASSERT_TRUE(bank->add({item_of("New", "beginning")}, context_));
  EXPECT_EQ(bank->stats(context_)->items, 1U);
  std::size_t aside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().filename().string().starts_with("bank.db.damaged-")) ++aside;
  }
  EXPECT_GE(aside, 1U);
}

TEST_F(SqliteRepositoryTest, AWriterThatWasKilledMakesTheNextOneCheck) {
  { added(*open(), item_of("a", "b")); }
  damage();
  { std::ofstream(folder_ / "bank.db.lock") << 'w'; }
  const auto bank = open();
  ASSERT_TRUE(bank);
  EXPECT_THAT(bank->take_warnings(), SizeIs(1));
  EXPECT_EQ(bank->stats(context_)->items, 0U);
}

TEST_F(SqliteRepositoryTest, FilesOfOthersAreLeftAlone) {
  { std::ofstream(path()) << "my notes, which are not a bank at all, but longer than a header"; }
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(opened.error().message, HasSubstr("is no memory bank"));
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(SqliteRepositoryTest, ADatabaseOfSomethingElseIsNoBank) {
  {
    const auto store = sqlite::Store::open({path().native(), sqlite::StoreUse::Write, 0});
    ASSERT_TRUE((*store)->execute("CREATE TABLE mine(x)"));
  }
  EXPECT_THAT(try_open().error().message, HasSubstr("no memory bank"));
}

TEST_F(SqliteRepositoryTest, ABankOfANewerProgramIsNotTouched) {
  open();
  {
    const auto store = sqlite::Store::open({path().native(), sqlite::StoreUse::Write, 0});
    ASSERT_TRUE((*store)->execute("PRAGMA user_version = 99"));
  }
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("version 99"));
}

TEST_F(SqliteRepositoryTest, AFullDiskIsAnErrorAndWhatIsThereStays) {
  auto opened = try_open(true, std::uint64_t{200} * 1'024);
  ASSERT_TRUE(opened) << opened.error().to_string();
  auto& bank = **opened;
  const Item first = item_of("First", "kept");
  added(bank, first);
  Result<AddReport> report;
  for (int i = 0; i < 200 && report; ++i) {
    report = bank.add({item_of(fmt::format("t{}", i), std::string(4'000, 'x') + " y")}, context_);
  }
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(report.error().message, HasSubstr("disk is full"));
  EXPECT_THAT(found(bank, "kept"), ElementsAre(first.id));
  EXPECT_THAT(bank.take_warnings(), IsEmpty());
}

TEST_F(SqliteRepositoryTest, AFolderThatCannotBeWrittenCanBeReadFrom) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  const Item item = item_of("a", "b");
  { added(*open(), item); }
  for (const char* name : {"bank.db", "bank.db.lock"}) {
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_read);
  }
  for (const char* name : {"bank.db-shm", "bank.db-wal"}) std::filesystem::remove(folder_ / name);
  std::filesystem::permissions(
      folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  {
    const auto bank = open();
    EXPECT_THAT(found(*bank, "b"), ElementsAre(item.id));
    const auto report = bank->add({item_of("c", "d")}, context_);
    EXPECT_FALSE(report);
  }
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
}

TEST_F(SqliteRepositoryTest, ABackupIsABankOfItsOwn) {
  const auto bank = open();
  const Item item = item_of("a", "words");
  added(*bank, item);
  ASSERT_TRUE(bank->back_up(folder_ / "copy.db", context_));
  EXPECT_EQ(bank->back_up(folder_ / "copy.db", context_).error().code, ErrorCode::InvalidInput);
  const auto copy = open_sqlite_repository({folder_ / "copy.db", false, 0}, real_env(),
                                           real_shared_files(), context_);
  ASSERT_TRUE(copy) << copy.error().to_string();
  EXPECT_THAT(found(**copy, "words"), ElementsAre(item.id));
  std::size_t parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".part") ++parts;
  }
  EXPECT_EQ(parts, 0U);
}

TEST_F(SqliteRepositoryTest, VisitsAllInTheOrderInWhichTheyCame) {
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
TEST_F(SqliteRepositoryTest, CandidatesAreThoseWithRareWordsFirst) {
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

}  // namespace
}  // namespace helve::memory
