#include "base/file_identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace helve {
namespace {

class FileIdentityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("helve-identity-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(FileIdentityTest, IsThatOfTheFile) {
  const auto identity = identify_file(write("a", "abc"));
  ASSERT_TRUE(identity);
  EXPECT_TRUE(identity->is_regular);
  EXPECT_EQ(identity->size, 3U);
  EXPECT_EQ(identity->owner, ::geteuid());
  EXPECT_EQ(*identity, *identify_file(folder_ / "a"));
  EXPECT_FALSE(identify_file(folder_)->is_regular);
  EXPECT_EQ(identify_file(folder_ / "b").error().code, ErrorCode::NotFound);
}

TEST_F(FileIdentityTest, AnotherFileInTheSamePlaceIsAnother) {
  const auto before = identify_file(write("a", "abc"));
  write("b", "abd");
  // The time of the last write is taken over, as copying tools do.
  std::filesystem::last_write_time(folder_ / "b", std::filesystem::last_write_time(folder_ / "a"));
  std::filesystem::rename(folder_ / "b", folder_ / "a");
  const auto after = identify_file(folder_ / "a");
  EXPECT_EQ(before->modified, after->modified);
  EXPECT_NE(*before, *after);
}

TEST_F(FileIdentityTest, PrivateFolderIsForItsOwner) {
  ASSERT_TRUE(make_private_folder(folder_ / "x" / "y"));
  const auto rights = std::filesystem::status(folder_ / "x" / "y").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_all);
  EXPECT_TRUE(make_private_folder(folder_ / "x" / "y"));
  EXPECT_FALSE(make_private_folder(write("a", "") / "y"));
}

TEST_F(FileIdentityTest, OwnedFoldersAreClosedToOthers) {
  namespace fs = std::filesystem;
  const auto rights = [](const fs::path& path) { return fs::status(path).permissions(); };
  ASSERT_TRUE(make_owned_folder(folder_ / "new"));
  EXPECT_EQ(rights(folder_ / "new"), fs::perms::owner_all);
  fs::create_directory(folder_ / "wide");
  fs::permissions(folder_ / "wide", fs::perms::all);
  ASSERT_TRUE(make_owned_folder(folder_ / "wide"));
  EXPECT_EQ(rights(folder_ / "wide"), fs::perms::owner_all);
  fs::create_directory_symlink(folder_ / "wide", folder_ / "link");
  const auto linked = make_owned_folder(folder_ / "link");
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, ErrorCode::Denied);
  EXPECT_FALSE(make_owned_folder(write("file", "")));
}

TEST_F(FileIdentityTest, MayWriteIsAboutWhatIsThere) {
  EXPECT_TRUE(may_write(folder_));
  EXPECT_TRUE(may_write(write("a", "")));
  EXPECT_FALSE(may_write(folder_ / "none"));
}

}  // namespace
}  // namespace helve
