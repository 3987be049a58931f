#include "agent/sandbox/work_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/fd.h"

namespace helve::sandbox {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::size_t bytes) {
  std::ofstream(path) << std::string(bytes, 'x');
}

TEST(WorkFolder, IsRemovedWithWhatIsInIt) {
  fs::path path;
  {
    const auto folder = WorkFolder::make(-1);
    ASSERT_TRUE(folder) << folder.error().to_string();
    path = folder->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    write(path / "a" / "b" / "name\nwith line", 10);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkFolder, CountsFilesAndFolders) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->measure(100).files, 0U);
  fs::create_directories(folder->path() / "a" / "b");
  for (int i = 0; i < 5; ++i) write(folder->path() / "a" / std::to_string(i), 10'000);
  const FolderUse use = folder->measure(100);
  EXPECT_EQ(use.files, 7U);
  EXPECT_GE(use.bytes, 50'000U);
  EXPECT_EQ(folder->measure(3).files, 3U);  // and no further
}

TEST(WorkFolder, AFolderThatIsTooDeepCountsAsFull) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  fs::path deep = folder->path();
  for (int i = 0; i < 100; ++i) deep /= "d";
  fs::create_directories(deep);
  EXPECT_EQ(folder->measure(1'000).files, 1'000U);
}

// Deeper than descriptors or a path would reach.
TEST(WorkFolder, DepthAndRightsDoNotStopRemoval) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  const fs::path tree = folder->path() / "tree";
  fs::create_directory(tree);
  UniqueFd at(::open(tree.c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 1'200; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0700), 0);
    UniqueFd below(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY));
    ASSERT_EQ(::fchmod(at.get(), i % 2 == 0 ? 0 : 0700), 0);
    at = std::move(below);
  }
  EXPECT_TRUE(remove_tree(tree));
  EXPECT_FALSE(fs::exists(tree));
}

TEST(WorkFolder, RemovalDoesNotFollowLinks) {
  const auto outside = WorkFolder::make(-1);
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(outside && folder);
  write(outside->path() / "kept", 1);
  fs::create_directory(folder->path() / "tree");
  fs::create_directory_symlink(outside->path(), folder->path() / "tree" / "link");
  EXPECT_TRUE(remove_tree(folder->path() / "tree"));
  EXPECT_TRUE(fs::exists(outside->path() / "kept"));
}

TEST(WorkFolder, FilesWithoutNamesAreCounted) {
  const auto folder = WorkFolder::make(-1);
  ASSERT_TRUE(folder);
  const auto held = [] { return bytes_of_removed("/proc/self", 1 << 30).value_or(0); };
  const std::uint64_t before = held();
  const fs::path path = folder->path() / "file";
  UniqueFd file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_EQ(write_fd_fully(file.get(), std::string(100'000, 'x')), 0);
  EXPECT_EQ(held(), before);
  void* const page = ::mmap(nullptr, 4'096, PROT_READ, MAP_SHARED, file.get(), 0);
  ASSERT_NE(page, MAP_FAILED);
  fs::remove(path);
  EXPECT_GE(held(), before + 100'000);
  EXPECT_LT(held(), before + 1'000'000);
  file.reset();  // what is mapped alone may be of any size
  EXPECT_EQ(held(), before + (1 << 30));
  ::munmap(page, 4'096);
  EXPECT_EQ(held(), before);
  EXPECT_FALSE(bytes_of_removed("/proc/self/none", 1));
}

}  // namespace
}  // namespace helve::sandbox
