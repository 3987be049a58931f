#include "toolkit/memory/sqlite_repository.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temp_directory.h"
#include "toolkit/memory/repository_suite_testing.h"

namespace helve::memory {
namespace {

// A file in a folder of its own.
class FilePlace final : public BankPlace {
 public:
  Result<std::unique_ptr<MemoryRepository>> open(bool is_made) override {
    return open_sqlite_repository({folder_ / "bank.db", is_made, 0}, real_env(),
                                  real_shared_files(), {});
  }

 private:
  TempDirectory folder_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, RepositorySuite, ::testing::Values(MakePlace([] {
                           return std::make_unique<FilePlace>();
                         })));

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
  static std::vector<std::string> found(MemoryRepository& bank, const std::string& text) {
    return found_in(bank, text);
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

TEST_F(SqliteRepositoryTest, AFileIsForItsOwnerAlone) {
  EXPECT_FALSE(try_open(false));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(try_open(true));
  EXPECT_EQ(std::filesystem::status(path()).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST_F(SqliteRepositoryTest, WhoClosesItLeavesOneFile) {
  { added(*open(), item_of("a", "b")); }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bank.db-wal") &&
               std::filesystem::file_size(folder_ / "bank.db-wal") > 0);
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

TEST_F(SqliteRepositoryTest, ABankOfTheFirstVersionIsMigrated) {
  const Item item = item_of("a", "words");
  { added(*open(), item); }
  {
    const auto store = sqlite::Store::open({path().native(), sqlite::StoreUse::Write, 0});
    ASSERT_TRUE(
        (*store)->execute("DROP TABLE vector; ALTER TABLE total DROP COLUMN vectors; "
                          "PRAGMA user_version = 1"));
  }
  const auto bank = open(false);
  EXPECT_THAT(found(*bank, "words"), ElementsAre(item.id));
  ASSERT_TRUE(bank->put_vectors("m", {{item.id, {1}}}, context_));
  EXPECT_THAT((*bank->vectors({.model = "m"}, context_))->ids, ElementsAre(item.id));
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

}  // namespace
}  // namespace helve::memory
