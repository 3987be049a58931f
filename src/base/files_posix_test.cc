// The real file system: every kind of file, every documented error.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/env.h"
#include "base/errno_error.h"
#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using ::testing::HasSubstr;

class PosixFilesTest : public ::testing::Test {
 protected:
  Result<void> put(const std::filesystem::path& path, std::string_view content,
                   WriteMode mode = WriteMode::Truncate) {
    HELVE_ASSIGN(const auto file, files_.open_write(path, mode));
    HELVE_TRY(file->write(content));
    return file->close();
  }
  Result<std::string> get(const std::filesystem::path& path) {
    HELVE_ASSIGN(const auto source, files_.open_read(path));
    std::string content;
    std::string buffer(7, '\0');
    for (;;) {
      HELVE_ASSIGN(const std::size_t n, source->read(buffer));
      if (n == 0) return content;
      content.append(buffer, 0, n);
    }
  }

  TempDirectory folder_;
  Files& files_ = real_env().files();
};

TEST_F(PosixFilesTest, WritesReadsAndMaps) {
  const auto path = folder_ / "a.txt";
  ASSERT_TRUE(put(path, "hello, world"));
  EXPECT_EQ(*get(path), "hello, world");
  EXPECT_EQ((*files_.map(path))->text(), "hello, world");
  const auto status = files_.status(path);
  EXPECT_EQ(status->kind, FileKind::Regular);
  EXPECT_EQ(status->size, 12U);
  EXPECT_GT(status->modified, WallTime{});
}

TEST_F(PosixFilesTest, EmptyFileMapsToNothing) {
  ASSERT_TRUE(put(folder_ / "empty", ""));
  const auto mapped = files_.map(folder_ / "empty");
  ASSERT_TRUE(mapped);
  EXPECT_TRUE((*mapped)->bytes().empty());
  EXPECT_EQ(*get(folder_ / "empty"), "");
}

TEST_F(PosixFilesTest, MappingOutlivesItsFile) {
  ASSERT_TRUE(put(folder_ / "a", "still here"));
  const auto mapped = *files_.map(folder_ / "a");
  ASSERT_TRUE(files_.remove(folder_ / "a"));
  EXPECT_EQ(mapped->text(), "still here");
}

TEST_F(PosixFilesTest, ModesOfWriting) {
  const auto path = folder_ / "a";
  ASSERT_TRUE(put(path, "one", WriteMode::CreateNew));
  const auto again = put(path, "two", WriteMode::CreateNew);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(again.error().message, HasSubstr(path.string()));
  ASSERT_TRUE(put(path, "+two", WriteMode::Append));
  EXPECT_EQ(*get(path), "one+two");
  ASSERT_TRUE(put(path, "3"));
  EXPECT_EQ(*get(path), "3");
}

TEST_F(PosixFilesTest, WhatAppendingMakesIsItsOwnersAlone) {
  using std::filesystem::perms;
  const auto permissions = [](const auto& path) {
    return std::filesystem::status(path).permissions();
  };
  ASSERT_TRUE(put(folder_ / "record", "x", WriteMode::Append));
  EXPECT_EQ(permissions(folder_ / "record"), perms::owner_read | perms::owner_write);
  ASSERT_TRUE(put(folder_ / "plain", "x"));
  const perms before = permissions(folder_ / "plain");
  ASSERT_TRUE(put(folder_ / "plain", "y", WriteMode::Append));
  EXPECT_EQ(permissions(folder_ / "plain"), before);
}

TEST_F(PosixFilesTest, LargeAndSmallWritesKeepTheirOrder) {
  const std::string large(200'000, 'x');
  const auto file = *files_.open_write(folder_ / "a", WriteMode::Truncate);
  ASSERT_TRUE(file->write("head"));
  ASSERT_TRUE(file->write(large));
  ASSERT_TRUE(file->write("tail"));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(*get(folder_ / "a"), "head" + large + "tail");
  ASSERT_TRUE(file->close());
}

TEST_F(PosixFilesTest, DestroyingWithoutCloseKeepsWhatWasWritten) {
  { ASSERT_TRUE((*files_.open_write(folder_ / "a", WriteMode::Truncate))->write("some")); }
  EXPECT_EQ(*get(folder_ / "a"), "some");
}

TEST_F(PosixFilesTest, MissingFilesAreNotFound) {
  const auto path = folder_ / "none";
  for (const ErrorCode code :
       {files_.open_read(path).error().code, files_.map(path).error().code,
        files_.status(path).error().code, files_.remove(path).error().code,
        files_.rename(path, folder_ / "b").error().code, files_.list(path).error().code,
        files_.sync_directory(path).error().code, put(path / "inside", "x").error().code}) {
    EXPECT_EQ(code, ErrorCode::NotFound);
  }
  EXPECT_EQ(files_.open_read(path).error().message,
            "cannot read '" + path.string() + "': No such file or directory");
}

TEST_F(PosixFilesTest, ADirectoryIsNoFile) {
  for (const Error& error :
       {files_.open_read(folder_.path()).error(), files_.map(folder_.path()).error(),
        files_.open_write(folder_.path(), WriteMode::Truncate).error()}) {
    EXPECT_EQ(error.code, ErrorCode::InvalidInput);
    EXPECT_THAT(error.message, HasSubstr(folder_.path().string()));
  }
  EXPECT_EQ(files_.status(folder_.path())->kind, FileKind::Directory);
}

TEST_F(PosixFilesTest, AFifoIsNotMappedAndNotWaitedFor) {
  const auto path = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto mapped = files_.map(path);
  ASSERT_FALSE(mapped);
  EXPECT_EQ(mapped.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(mapped.error().message, HasSubstr("not a regular file"));
  EXPECT_EQ(files_.status(path)->kind, FileKind::Other);
}

TEST_F(PosixFilesTest, DevicesReadAsStreams) {
  EXPECT_EQ(*get("/dev/null"), "");
  EXPECT_EQ(files_.map("/dev/null").error().code, ErrorCode::InvalidInput);
}

TEST_F(PosixFilesTest, NoPermissionIsDenied) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ASSERT_TRUE(put(folder_ / "secret", "x"));
  ASSERT_EQ(::chmod((folder_ / "secret").c_str(), 0), 0);
  EXPECT_EQ(files_.open_read(folder_ / "secret").error().code, ErrorCode::Denied);
}

TEST_F(PosixFilesTest, AFullDiskIsUnavailable) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const auto outcome = put("/dev/full", "x");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("No space left"));
}

TEST_F(PosixFilesTest, DirectoriesAreMadeListedAndRemoved) {
  ASSERT_TRUE(files_.make_directories(folder_ / "a/b/c"));
  ASSERT_TRUE(files_.make_directories(folder_ / "a/b/c"));
  ASSERT_TRUE(put(folder_ / "a/z", ""));
  ASSERT_TRUE(put(folder_ / "a/d", ""));
  EXPECT_THAT(*files_.list(folder_ / "a"), ::testing::ElementsAre("b", "d", "z"));
  EXPECT_EQ(files_.remove(folder_ / "a").error().code, ErrorCode::InvalidInput);
  EXPECT_TRUE(files_.remove(folder_ / "a/b/c"));
  EXPECT_TRUE(files_.sync_directory(folder_ / "a"));
  EXPECT_FALSE(files_.make_directories(folder_ / "a/z/inside"));
}

TEST_F(PosixFilesTest, RenameReplaces) {
  ASSERT_TRUE(put(folder_ / "a", "new"));
  ASSERT_TRUE(put(folder_ / "b", "old"));
  ASSERT_TRUE(files_.rename(folder_ / "a", folder_ / "b"));
  EXPECT_EQ(*get(folder_ / "b"), "new");
  EXPECT_FALSE(files_.status(folder_ / "a"));
}

TEST_F(PosixFilesTest, ANewNameIsTakenByOne) {
  ASSERT_TRUE(put(folder_ / "a", "first"));
  ASSERT_TRUE(put(folder_ / "b", "second"));
  ASSERT_TRUE(files_.rename_new(folder_ / "a", folder_ / "c"));
  const auto late = files_.rename_new(folder_ / "b", folder_ / "c");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(*get(folder_ / "c"), "first");
  EXPECT_EQ(*get(folder_ / "b"), "second");
  EXPECT_FALSE(files_.status(folder_ / "a"));
  EXPECT_EQ(files_.rename_new(folder_ / "a", folder_ / "d").error().code, ErrorCode::NotFound);
}

TEST_F(PosixFilesTest, ALockIsHeldByOne) {
  auto lock = files_.lock(folder_ / "lock");
  ASSERT_TRUE(lock);
  const auto second = files_.lock(folder_ / "lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::Unavailable);
  lock->reset();
  EXPECT_TRUE(files_.lock(folder_ / "lock"));
}

TEST_F(PosixFilesTest, AtomicWriteReplacesAndLeavesNoDraft) {
  const auto path = folder_ / "state.json";
  ASSERT_TRUE(write_file_atomically(real_env(), path, "one"));
  ASSERT_TRUE(write_file_atomically(real_env(), path, "two"));
  EXPECT_EQ(*get(path), "two");
  EXPECT_THAT(*files_.list(folder_.path()), ::testing::ElementsAre("state.json"));
  EXPECT_EQ(write_file_atomically(real_env(), folder_ / "no/such", "x").error().code,
            ErrorCode::NotFound);
}

TEST(AtomicWrite, EveryCrashLeavesOldOrNew) {
  for (std::uint64_t k = 1;; ++k) {
    FakeEnv env;
    env.files().put("d/state", "old");
    env.files().fail_from_operation(k);
    const bool is_done = write_file_atomically(env, "d/state", "new").has_value();
    env.files().crash();
    const std::string found = *env.files().content("d/state");
    if (is_done) {
      EXPECT_EQ(found, "new");
      EXPECT_GT(k, 5U);  // create, write, sync, close, rename at least
      break;
    }
    EXPECT_TRUE(found == "old" || found == "new") << found;
  }
}

TEST(AtomicWrite, AFullDiskKeepsTheOldAndCleansUp) {
  FakeEnv env;
  env.files().put("d/state", "old");
  env.files().disk_full_after(2);
  const auto outcome = write_file_atomically(env, "d/state", "new");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(*env.files().content("d/state"), "old");
  EXPECT_THAT(*env.files().list("d"), ::testing::ElementsAre("state"));
}

TEST(ErrnoError, CodesFollowTheTable) {
  const auto code = [](int number) { return error_from_errno(number, "open", "x").code; };
  EXPECT_EQ(code(ENOENT), ErrorCode::NotFound);
  EXPECT_EQ(code(EACCES), ErrorCode::Denied);
  EXPECT_EQ(code(EROFS), ErrorCode::Denied);
  EXPECT_EQ(code(EISDIR), ErrorCode::InvalidInput);
  EXPECT_EQ(code(EEXIST), ErrorCode::InvalidInput);
  EXPECT_EQ(code(ENOSPC), ErrorCode::Unavailable);
  EXPECT_EQ(code(EIO), ErrorCode::Unavailable);
}

TEST(KernelRandom, GivesDifferentBytes) {
  Random& random = real_env().random();
  EXPECT_NE(random.next_u64(), random.next_u64());
  EXPECT_EQ(random.hex(8).size(), 16U);
  EXPECT_EQ(random.hex(8).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(RealClock, MovesForward) {
  Clock& clock = real_env().clock();
  const MonotonicTime before = clock.now();
  clock.sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(clock.now() - before, std::chrono::milliseconds(1));
  EXPECT_GT(clock.wall(), WallTime(std::chrono::seconds(1'700'000'000)));
}

}  // namespace
}  // namespace helve
