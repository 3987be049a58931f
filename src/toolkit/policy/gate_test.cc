#include "toolkit/policy/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_directory.h"

namespace helve::toolkit {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

ErrorCode code_of(const auto& result) { return result ? ErrorCode::Internal : result.error().code; }

TEST(Gate, ReadOnlyIsOnUnlessItIsSwitchedOff) {
  Policy policy;
  EXPECT_TRUE(check_call(policy, {"sparql_query"}));
  EXPECT_EQ(code_of(check_call(policy, {"data_modify", true})), ErrorCode::Denied);
  EXPECT_FALSE(may_call(policy, {"data_modify", true}));
  policy.read_only = false;
  EXPECT_TRUE(check_call(policy, {"data_modify", true}));
}

TEST(Gate, AllowsTheNamedToolsAlone) {
  Policy policy;
  policy.allowed_tools = {"sparql_peek"};
  EXPECT_TRUE(check_call(policy, {"sparql_peek"}));
  const auto denied = check_call(policy, {"sparql_query"});
  EXPECT_EQ(code_of(denied), ErrorCode::Denied);
  EXPECT_THAT(denied.error().hint, HasSubstr("sparql_peek"));
  policy.allowed_tools = std::set<std::string>();
  EXPECT_EQ(code_of(check_call(policy, {"sparql_peek"})), ErrorCode::Denied);
}

TEST(Gate, ReadOnlyHoldsForAllowedTools) {
  Policy policy;
  policy.allowed_tools = {"data_modify"};
  EXPECT_EQ(code_of(check_call(policy, {"data_modify", true})), ErrorCode::Denied);
}

TEST(Gate, ClampsWhatIsAskedFor) {
  Policy policy;
  policy.timeout_max = std::chrono::seconds(5);
  policy.max_chars = 1'000;
  policy.max_rows = 10;
  policy.rows_stored_max = 100;
  policy.memory_bytes_max = 1 << 20;
  EXPECT_EQ(clamp_timeout(policy, std::chrono::seconds(30)), std::chrono::seconds(5));
  EXPECT_EQ(clamp_timeout(policy, std::chrono::seconds(3)), std::chrono::seconds(3));
  EXPECT_EQ(clamp_timeout(policy, std::chrono::seconds(-3)), Duration(1));
  EXPECT_EQ(clamp_chars(policy, 2'000), 1'000U);
  EXPECT_EQ(clamp_chars(policy, 500), 500U);
  EXPECT_EQ(clamp_rows(policy, 11), 10U);
  EXPECT_EQ(clamp_rows_stored(policy, 1'000), 100U);
  EXPECT_EQ(clamp_memory(policy, std::size_t{1} << 40), std::size_t{1} << 20);
}

class PathGate : public ::testing::Test {
 protected:
  PathGate() {
    fs::create_directories(folder_ / "open/deep");
    fs::create_directories(folder_ / "openly");
    for (const char* name : {"open/a.ttl", "open/deep/b.ttl", "secret.ttl", "openly/c.ttl"}) {
      std::ofstream(folder_ / name) << "";
    }
    policy_.allowed_paths = {(folder_ / "open").string()};
  }
  bool is_allowed(const fs::path& path) const {
    return check_path(policy_, (folder_.path() / path).string()).has_value();
  }

  TempDirectory folder_;
  Policy policy_;
};

TEST_F(PathGate, AllowsWhatLiesInTheFolders) {
  EXPECT_TRUE(is_allowed("open/a.ttl"));
  EXPECT_TRUE(is_allowed("open/deep/b.ttl"));
  EXPECT_TRUE(is_allowed("open/deep/../a.ttl"));
  EXPECT_TRUE(is_allowed("open/absent.ttl"));  // reading it says that it is not there
}

TEST_F(PathGate, DeniesWhatLiesElsewhere) {
  EXPECT_FALSE(is_allowed("secret.ttl"));
  EXPECT_FALSE(is_allowed("openly/c.ttl"));
  EXPECT_FALSE(is_allowed("open/../secret.ttl"));
  EXPECT_FALSE(is_allowed("open/deep/../../secret.ttl"));
  EXPECT_FALSE(is_allowed("absent.ttl"));
  EXPECT_EQ(code_of(check_path(policy_, "/etc/passwd")), ErrorCode::Denied);
  EXPECT_EQ(code_of(check_path(policy_, "file:///etc/passwd")), ErrorCode::Denied);
}

TEST_F(PathGate, FollowsLinksBeforeItLooks) {
  fs::create_symlink(folder_ / "secret.ttl", folder_ / "open/link.ttl");
  fs::create_directory_symlink(folder_ / "openly", folder_ / "open/folder");
  fs::create_symlink(folder_ / "later.ttl", folder_ / "open/dangling.ttl");
  fs::create_symlink(folder_ / "open/a.ttl", folder_ / "in.ttl");
  EXPECT_FALSE(is_allowed("open/link.ttl"));
  EXPECT_FALSE(is_allowed("open/folder/c.ttl"));
  EXPECT_FALSE(is_allowed("open/folder/absent.ttl"));
  EXPECT_FALSE(is_allowed("open/dangling.ttl"));
  EXPECT_TRUE(is_allowed("in.ttl"));
  const auto in = check_path(policy_, (folder_ / "in.ttl").string());
  EXPECT_EQ(in->filename(), "a.ttl");  // what is opened is what was looked at
}

TEST_F(PathGate, AnEmptyListAllowsNothing) {
  policy_.allowed_paths = std::vector<std::string>();
  EXPECT_FALSE(is_allowed("open/a.ttl"));
  policy_.allowed_paths = {(folder_ / "no-such-folder").string()};
  EXPECT_FALSE(is_allowed("open/a.ttl"));
}

TEST_F(PathGate, WithoutAListAnyFileMayBeRead) {
  policy_.allowed_paths.reset();
  EXPECT_TRUE(is_allowed("secret.ttl"));
  EXPECT_EQ(code_of(check_path(policy_, "")), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of(check_path(policy_, std::string("a\0b", 3))), ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve::toolkit
