#include "base/shared_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/support/temp_directory.h"

namespace helve {
namespace {

class SharedFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<SharedFile> open(std::string_view name) {
    auto opened = real_shared_files().open(folder_ / name, SharedFileMode::Write);
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  static std::string read(SharedFile& file, std::uint64_t offset, std::size_t size) {
    std::string text(size, '\0');
    text.resize(*file.read_at(offset, text));
    return text;
  }

  TempDirectory folder_;
};

TEST_F(SharedFileTest, WritesReadsAndCutsAtAnyPlace) {
  const auto file = open("a");
  EXPECT_EQ(*file->size(), 0U);
  ASSERT_TRUE(file->write_at(0, "hello, world"));
  ASSERT_TRUE(file->write_at(7, "there"));
  EXPECT_EQ(read(*file, 0, 100), "hello, there");
  EXPECT_EQ(read(*file, 7, 3), "the");
  EXPECT_EQ(read(*file, 50, 3), "");
  ASSERT_TRUE(file->cut(5));
  EXPECT_EQ(*file->size(), 5U);
  EXPECT_TRUE(file->sync());
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(SharedFileTest, OneHoldsItAtATime) {
  const auto one = open("a");
  auto two = open("a");
  EXPECT_TRUE(*one->try_lock());
  EXPECT_FALSE(*two->try_lock());
  one->unlock();
  EXPECT_TRUE(*two->try_lock());
  EXPECT_FALSE(*one->try_lock());
  two = nullptr;
  EXPECT_TRUE(*one->try_lock());
}

TEST_F(SharedFileTest, KnowsWhetherItIsStillAtItsPath) {
  const auto file = open("a");
  EXPECT_TRUE(*file->is_at_path());
  std::filesystem::rename(folder_ / "a", folder_ / "b");
  EXPECT_FALSE(*file->is_at_path());
  const auto other = open("a");
  EXPECT_FALSE(*file->is_at_path());
  EXPECT_TRUE(*other->is_at_path());
  std::filesystem::rename(folder_ / "b", folder_ / "a");
  EXPECT_TRUE(*file->is_at_path());
}

TEST_F(SharedFileTest, TellsWhatCannotBeOpened) {
  const auto code = [this](std::string_view name, SharedFileMode mode) {
    const auto opened = real_shared_files().open(folder_ / name, mode);
    return opened ? ErrorCode::Internal : opened.error().code;
  };
  EXPECT_EQ(code("none", SharedFileMode::Read), ErrorCode::NotFound);
  EXPECT_EQ(code("none/a", SharedFileMode::Write), ErrorCode::NotFound);
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_EQ(code("folder", SharedFileMode::Write), ErrorCode::Denied);
  EXPECT_EQ(code("folder", SharedFileMode::Read), ErrorCode::Denied);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(code("pipe", SharedFileMode::Write), ErrorCode::Denied);
  EXPECT_EQ(code("pipe", SharedFileMode::Read), ErrorCode::Denied);
}

}  // namespace
}  // namespace helve
