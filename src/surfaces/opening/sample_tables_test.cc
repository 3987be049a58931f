#include "surfaces/opening/sample_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_directory.h"

namespace helve::opening {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SampleTables : public ::testing::Test {
 protected:
  // TMPDIR is always one of the test's own.
  Result<fs::path> make(std::map<std::string, std::string> variables) {
    variables.emplace("TMPDIR", (folder_.path() / "tmp").string());
    fs::create_directories(folder_.path() / "tmp");
    return sample_tables_file(
        [&variables](const char* name) {
          const auto found = variables.find(name);
          return found == variables.end() ? nullptr : found->second.c_str();
        },
        real_env());
  }
  std::string cache() const { return (folder_.path() / "cache").string(); }
  fs::path temporary() const {
    return folder_.path() / "tmp" / ("helve-" + std::to_string(::geteuid()));
  }
  static std::string bytes(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  TempDirectory folder_;
};

TEST_F(SampleTables, IsKeptInTheCacheAndMadeOnce) {
  const auto path = make({{"HELVE_CACHE_DIR", cache()}});
  ASSERT_TRUE(path.has_value()) << path.error().to_string();
  EXPECT_EQ(path->parent_path(), fs::path(cache()) / "samples");
  EXPECT_EQ(bytes(*path).substr(0, 16), std::string("SQLite format 3\0", 16));
  const auto written = fs::last_write_time(*path);
  EXPECT_EQ(*make({{"HELVE_CACHE_DIR", cache()}}), *path);
  EXPECT_EQ(fs::last_write_time(*path), written);
  EXPECT_EQ(files_in(path->parent_path()), 1U);
}

TEST_F(SampleTables, ReplacesWhatIsDamaged) {
  const auto path = make({{"HELVE_CACHE_DIR", cache()}});
  const std::string good = bytes(*path);
  std::string bad = good;
  bad[bad.size() / 2] ^= 1;  // the same size
  for (const std::string& content : {bad, good.substr(0, 100), std::string()}) {
    std::ofstream(*path, std::ios::binary) << content;
    EXPECT_EQ(*make({{"HELVE_CACHE_DIR", cache()}}), *path);
    EXPECT_EQ(bytes(*path), good);
  }
  fs::remove(*path);
  fs::create_directory(*path);  // no file can be put there
  EXPECT_EQ(make({{"HELVE_CACHE_DIR", cache()}})->parent_path(), temporary());
}

TEST_F(SampleTables, GoesToTheTemporaryFolderWhereThereIsNoCache) {
  std::ofstream(cache()) << "no folder";
  for (const std::map<std::string, std::string>& variables :
       std::vector<std::map<std::string, std::string>>{
           {}, {{"HOME", "/h"}, {"HELVE_CACHE", "off"}}, {{"HELVE_CACHE_DIR", cache()}}}) {
    const auto path = make(variables);
    ASSERT_TRUE(path.has_value()) << path.error().to_string();
    EXPECT_EQ(path->parent_path(), temporary());
  }
  EXPECT_EQ(fs::status(temporary()).permissions() & fs::perms::others_all, fs::perms::none);
}

TEST_F(SampleTables, UsesNoFolderOfOthers) {
  fs::create_directories(folder_.path() / "tmp");
  fs::create_directory(folder_.path() / "elsewhere");
  fs::create_directory_symlink(folder_.path() / "elsewhere", temporary());
  const auto path = make({});
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(path.error().message, HasSubstr("no place for the bundled database"));
  EXPECT_THAT(path.error().hint, HasSubstr("HELVE_CACHE_DIR or TMPDIR"));
  EXPECT_EQ(files_in(folder_.path() / "elsewhere"), 0U);
  EXPECT_EQ(make({{"HELVE_CACHE", "banana"}}).error().code, ErrorCode::InvalidInput);
}

TEST_F(SampleTables, KeepsFewFilesAndTouchesNoOthers) {
  const fs::path samples = fs::path(cache()) / "samples";
  fs::create_directories(samples);
  for (int i = 0; i < 9; ++i) {
    const fs::path old = samples / ("solar-tables-" + std::to_string(i) + ".db");
    std::ofstream(old) << i;
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(9 - i));
  }
  std::ofstream(samples / ".solar-tables-1.db.00.tmp") << "of a process that was stopped";
  fs::last_write_time(samples / ".solar-tables-1.db.00.tmp",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  std::ofstream(samples / ".solar-tables-2.db.00.tmp") << "being written";
  std::ofstream(samples / "mine.txt") << "mine";
  const auto path = make({{"HELVE_CACHE_DIR", cache()}});
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(files_in(samples), 6U);  // four, what is being written, and mine.txt
  EXPECT_TRUE(fs::exists(*path));
  EXPECT_TRUE(fs::exists(samples / "solar-tables-8.db"));
  EXPECT_FALSE(fs::exists(samples / "solar-tables-5.db"));
  EXPECT_EQ(clear_samples(cache(), real_env()), 4U);
  EXPECT_EQ(files_in(samples), 1U);
}

TEST_F(SampleTables, ManyAtOnceMakeOneWholeFile) {
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (std::string& one : seen) {
    threads.emplace_back([&] {
      const auto path = make({{"HELVE_CACHE_DIR", cache()}});
      if (path) one = bytes(*path);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string whole = bytes(*make({{"HELVE_CACHE_DIR", cache()}}));
  for (const std::string& one : seen) EXPECT_TRUE(one == whole);
  EXPECT_EQ(files_in(fs::path(cache()) / "samples"), 1U);
}

}  // namespace
}  // namespace helve::opening
