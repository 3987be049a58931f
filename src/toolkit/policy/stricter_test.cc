// Two policies as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_directory.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Policy read_policy(std::string_view text, Policy base = {}) {
  auto policy = policy_from_json(*parse_json(text), std::move(base));
  EXPECT_TRUE(policy) << text;
  return policy ? *std::move(policy) : Policy();
}

// Whichever comes first.
void expect_same(const Policy& a, const Policy& b) {
  EXPECT_EQ(a.read_only, b.read_only);
  EXPECT_EQ(a.max_rows, b.max_rows);
  EXPECT_EQ(a.rows_stored_max, b.rows_stored_max);
  EXPECT_EQ(a.bytes_stored_max, b.bytes_stored_max);
  EXPECT_EQ(a.max_chars, b.max_chars);
  EXPECT_EQ(a.timeout_max, b.timeout_max);
  EXPECT_EQ(a.memory_bytes_max, b.memory_bytes_max);
  EXPECT_EQ(a.allowed_tools, b.allowed_tools);
  EXPECT_EQ(a.allowed_graphs, b.allowed_graphs);
  EXPECT_EQ(a.allowed_sources, b.allowed_sources);
  EXPECT_EQ(a.allowed_paths, b.allowed_paths);
  EXPECT_EQ(a.allowed_endpoints, b.allowed_endpoints);
  EXPECT_EQ(a.leaves_endpoints, b.leaves_endpoints);
}

TEST(Stricter, TakesTheLesserOfEveryLimit) {
  const Policy a = read_policy(R"({"read_only": false, "max_rows": 5, "rows_stored_max": 60,
      "bytes_stored_max": 2048, "max_chars": 3000, "memory_bytes_max": 1048576, "timeout": 15})");
  const Policy b = read_policy(R"({"read_only": false, "max_rows": 50, "rows_stored_max": 6,
      "bytes_stored_max": 4096, "max_chars": 300, "memory_bytes_max": 2097152, "timeout": 1.5})");
  const Policy both = stricter(a, b);
  EXPECT_FALSE(both.read_only);
  EXPECT_EQ(both.max_rows, 5U);
  EXPECT_EQ(both.rows_stored_max, 6U);
  EXPECT_EQ(both.bytes_stored_max, 2'048U);
  EXPECT_EQ(both.max_chars, 300U);
  EXPECT_EQ(both.memory_bytes_max, std::size_t{1} << 20);
  EXPECT_EQ(both.timeout_max, std::chrono::milliseconds(1'500));
  expect_same(both, stricter(b, a));
  EXPECT_TRUE(stricter(a, {}).read_only);
  EXPECT_TRUE(stricter({}, a).read_only);
}

TEST(Stricter, KeepsOfListsWhatBothHave) {
  const Policy a = read_policy(R"({"allowed_graphs": ["g:1", "g:2"], "allowed_tools": ["x", "y"],
      "allowed_endpoints": ["e:1", "e:2"], "allowed_sources": ["s", "t"]})");
  const Policy b = read_policy(R"({"allowed_graphs": ["g:2", "g:3"], "allowed_tools": ["y", "z"],
      "allowed_endpoints": ["e:2"], "allowed_sources": ["u"]})");
  const Policy both = stricter(a, b);
  EXPECT_THAT(*both.allowed_graphs, ElementsAre("g:2"));
  EXPECT_THAT(*both.allowed_tools, ElementsAre("y"));
  EXPECT_THAT(both.allowed_endpoints, ElementsAre("e:2"));
  // Nothing in common allows nothing, not everything.
  ASSERT_TRUE(both.allowed_sources);
  EXPECT_THAT(*both.allowed_sources, IsEmpty());
  EXPECT_FALSE(allows_source(both, "s"));
  EXPECT_TRUE(allows_source(a, "s"));
  EXPECT_FALSE(allows_source(a, "u"));
  expect_same(both, stricter(b, a));
}

TEST(Stricter, AListThatIsNotThereTakesNothing) {
  const Policy a = read_policy(R"({"allowed_graphs": ["g:1"], "allowed_tools": [],
      "allowed_paths": ["/data"], "allowed_sources": ["s"]})");
  const Policy both = stricter(a, {});
  EXPECT_THAT(*both.allowed_graphs, ElementsAre("g:1"));
  EXPECT_THAT(*both.allowed_tools, IsEmpty());
  EXPECT_THAT(*both.allowed_paths, ElementsAre("/data"));
  EXPECT_THAT(*both.allowed_sources, ElementsAre("s"));
  // Endpoints have no such absence: a policy that names none allows none.
  Policy open;
  open.allowed_endpoints = {"e:1"};
  EXPECT_THAT(stricter(open, {}).allowed_endpoints, IsEmpty());
}

TEST(Stricter, OfFoldersTheDeeperOne) {
  const Policy a = read_policy(R"({"allowed_paths": ["/data", "/home/a/", "/tmp/x", "rel"]})");
  const Policy b = read_policy(
      R"({"allowed_paths": ["/data/public", "/home", "/tmp/xy", "/data/../etc", "rel/sub"]})");
  EXPECT_THAT(*stricter(a, b).allowed_paths, ElementsAre("/data/public", "/home/a/", "rel/sub"));
  expect_same(stricter(a, a), a);
  const Policy root = read_policy(R"({"allowed_paths": ["/"]})");
  EXPECT_THAT(*stricter(root, b).allowed_paths,
              ElementsAre("/data/public", "/home", "/tmp/xy", "/data/../etc", "rel/sub"));
}

TEST(Stricter, ALinkOutOfAFolderDoesNotLieInIt) {
  const TempDirectory directory;
  std::filesystem::create_directory(directory.path() / "in");
  std::filesystem::create_directory(directory.path() / "out");
  std::filesystem::create_directory_symlink(directory.path() / "out",
                                            directory.path() / "in" / "link");
  Policy a;
  a.allowed_paths = {(directory.path() / "in").string()};
  Policy b;
  b.allowed_paths = {(directory.path() / "in" / "link").string()};
  EXPECT_THAT(*stricter(a, b).allowed_paths, IsEmpty());
}

TEST(Stricter, AnUnrestrictedPolicyChangesNothing) {
  const Policy a = read_policy(R"({"read_only": false, "max_rows": 5, "allowed_graphs": ["g:1"],
      "allowed_endpoints": ["e:1"], "allowed_paths": ["/data"], "timeout": 3600})");
  expect_same(stricter(a, unrestricted_policy()), a);
  expect_same(stricter(unrestricted_policy(), a), a);
  expect_same(stricter(Policy(), unrestricted_policy()), Policy());
  // What it says restricts, and nothing else.
  const Policy source =
      read_policy(R"({"max_rows": 3, "allowed_endpoints": ["e:2"]})", unrestricted_policy());
  const Policy both = stricter(a, source);
  EXPECT_EQ(both.max_rows, 3U);
  EXPECT_FALSE(both.read_only);
  EXPECT_THAT(both.allowed_endpoints, IsEmpty());
  EXPECT_EQ(both.timeout_max, std::chrono::hours(1));
}

TEST(Policy, KeysThatAreNotThereAreThoseOfTheBase) {
  const Policy base = read_policy(R"({"max_rows": 7, "allowed_tools": ["x"]})");
  const Policy policy = read_policy(R"({"timeout": 2})", base);
  EXPECT_EQ(policy.max_rows, 7U);
  EXPECT_THAT(*policy.allowed_tools, ElementsAre("x"));
  EXPECT_EQ(policy.timeout_max, std::chrono::seconds(2));
}

TEST(Policy, AMisspeltKeyIsToldWithTheNearestOne) {
  const auto policy = policy_from_json(*parse_json(R"({"max_row": 1})"));
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().hint, "did you mean max_rows?");
}

}  // namespace
}  // namespace helve::toolkit
