// The disk that loses its power, and the files that tell it what is done.
#include "tests/store/disk_model.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "tests/store/power_loss_files.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using Path = std::filesystem::path;

class DiskModelTest : public ::testing::Test {
 protected:
  DiskModelTest() {
    std::filesystem::create_directories(root_);
    model_.adopt();
  }

  void write(PowerLossFiles& files, const Path& path, std::string_view text, bool is_synced) {
    const auto file = *files.open_write(path, WriteMode::Append);
    ASSERT_TRUE(file->write(text));
    if (!is_synced) return;
    ASSERT_TRUE(file->sync());
  }
  PowerLossFiles make_files() { return {root_, journal_, std::chrono::microseconds(0)}; }

  // What is found of a file, in many power losses of the same moment; "-" where it is not there.
  std::set<std::string> found(std::string_view name) {
    std::set<std::string> contents;
    for (unsigned seed = 0; seed < 100; ++seed) {
      std::mt19937_64 random(seed);
      std::filesystem::remove_all(root_);
      std::filesystem::create_directories(root_);
      DiskModel model(root_);
      model.adopt();
      model.replay(journal_);
      model.lose_power(random);
      model.write_out();
      std::ifstream in(root_ / name, std::ios::binary);
      contents.insert(in ? std::string(std::istreambuf_iterator<char>(in), {}) : "-");
    }
    return contents;
  }

  const TempDirectory folder_;
  const Path root_ = folder_ / "disk";
  const Path journal_ = folder_ / "journal";
  DiskModel model_{root_};
};

TEST_F(DiskModelTest, WhatIsSyncedStays) {
  auto files = make_files();
  write(files, root_ / "a", "one", true);
  ASSERT_TRUE(files.sync_directory(root_));
  EXPECT_EQ(found("a"), (std::set<std::string>{"one"}));
}

TEST_F(DiskModelTest, WithoutItsFolderANameMayGo) {
  auto files = make_files();
  write(files, root_ / "a", "one", true);
  EXPECT_EQ(found("a"), (std::set<std::string>{"-", "one"}));
}

TEST_F(DiskModelTest, WhatIsNotSyncedMayGoInPartAndBeTorn) {
  auto files = make_files();
  write(files, root_ / "a", "one", true);
  ASSERT_TRUE(files.sync_directory(root_));
  write(files, root_ / "a", std::string(509, 'x') + std::string(512, 'y'), false);
  const auto contents = found("a");
  EXPECT_TRUE(contents.contains("one"));
  EXPECT_TRUE(contents.contains("one" + std::string(509, 'x') + std::string(512, 'y')));
  EXPECT_TRUE(contents.contains("one" + std::string(509, 'x')));
  EXPECT_TRUE(contents.contains("one" + std::string(509, '\0') + std::string(512, 'y')));
  for (const std::string& content : contents) EXPECT_TRUE(content.starts_with("one"));
}

TEST_F(DiskModelTest, ARenameIsThereOrNot) {
  auto files = make_files();
  write(files, root_ / "a", "old", true);
  write(files, root_ / "b", "new", true);
  ASSERT_TRUE(files.sync_directory(root_));
  ASSERT_TRUE(files.rename(root_ / "b", root_ / "a"));
  EXPECT_EQ(found("a"), (std::set<std::string>{"old", "new"}));
  EXPECT_EQ(found("b"), (std::set<std::string>{"-", "new"}));
}

TEST_F(DiskModelTest, ARenameStaysOnceItsFolderIsSynced) {
  auto files = make_files();
  write(files, root_ / "a", "old", true);
  write(files, root_ / "b", "new", true);
  ASSERT_TRUE(files.rename(root_ / "b", root_ / "a"));
  ASSERT_TRUE(files.sync_directory(root_));
  EXPECT_EQ(found("a"), (std::set<std::string>{"new"}));
  EXPECT_EQ(found("b"), (std::set<std::string>{"-"}));
}

TEST_F(DiskModelTest, WhatCameWhileItSyncedIsNotSynced) {
  PowerLossFiles files(root_, journal_, std::chrono::microseconds(0));
  const auto file = *files.open_write(root_ / "a", WriteMode::Append);
  ASSERT_TRUE(files.sync_directory(root_));
  // Operation 0 opened it, 1 synced the folder.
  std::ofstream journal(journal_, std::ios::binary | std::ios::app);
  journal << encode({DiskOperation::Kind::Write, 0, 0, "one", {}})
          << encode({DiskOperation::Kind::Write, 0, 0, "two", {}})
          << encode({DiskOperation::Kind::Sync, 0, 3, {}, {}}) << "cut short";
  journal.close();
  const auto contents = found("a");
  EXPECT_TRUE(contents.contains("one"));
  EXPECT_TRUE(contents.contains("onetwo"));
  EXPECT_FALSE(contents.contains(""));
}

TEST_F(DiskModelTest, NothingIsInAFolderThatIsLost) {
  auto files = make_files();
  ASSERT_TRUE(files.make_directories(root_ / "f" / "g"));
  write(files, root_ / "f" / "g" / "a", "one", true);
  ASSERT_TRUE(files.sync_directory(root_ / "f" / "g"));
  EXPECT_EQ(found("f/g/a"), (std::set<std::string>{"-", "one"}));
}

TEST_F(DiskModelTest, AFolderStaysOnceThoseAroundItAreSynced) {
  auto files = make_files();
  ASSERT_TRUE(files.make_directories(root_ / "f" / "g"));
  write(files, root_ / "f" / "g" / "a", "one", true);
  ASSERT_TRUE(files.sync_directory(root_ / "f" / "g"));
  ASSERT_TRUE(files.sync_directory(root_ / "f"));
  ASSERT_TRUE(files.sync_directory(root_));
  EXPECT_EQ(found("f/g/a"), (std::set<std::string>{"one"}));
}

TEST_F(DiskModelTest, AFolderWithFilesIsNotRemoved) {
  auto files = make_files();
  ASSERT_TRUE(files.make_directories(root_ / "f"));
  write(files, root_ / "f" / "a", "one", true);
  ASSERT_TRUE(files.sync_directory(root_ / "f"));
  EXPECT_FALSE(files.remove(root_ / "f"));
  ASSERT_TRUE(files.sync_directory(root_));
  EXPECT_EQ(found("f/a"), (std::set<std::string>{"one"}));
}

TEST_F(DiskModelTest, WithoutAPowerLossEverythingIsThere) {
  auto files = make_files();
  write(files, root_ / "a", "one", false);
  ASSERT_TRUE(files.rename(root_ / "a", root_ / "b"));
  model_.replay(journal_);
  model_.write_out();
  std::ifstream in(root_ / "b", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "one");
  EXPECT_FALSE(std::filesystem::exists(root_ / "a"));
}

}  // namespace
}  // namespace helve
