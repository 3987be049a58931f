// Two policies as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

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
}

TEST(Intersect, TakesTheLesserOfEveryLimit) {
  const Policy a = read_policy(R"({"read_only": false, "max_rows": 5, "rows_stored_max": 60,
      "bytes_stored_max": 2048, "max_chars": 3000, "memory_bytes_max": 1048576, "timeout": 15})");
  const Policy b = read_policy(R"({"read_only": false, "max_rows": 50, "rows_stored_max": 6,
      "bytes_stored_max": 4096, "max_chars": 300, "memory_bytes_max": 2097152, "timeout": 1.5})");
  const Policy both = intersect(a, b);
  EXPECT_FALSE(both.read_only);
  EXPECT_EQ(both.max_rows, 5U);
  EXPECT_EQ(both.rows_stored_max, 6U);
  EXPECT_EQ(both.bytes_stored_max, 2'048U);
  EXPECT_EQ(both.max_chars, 300U);
  EXPECT_EQ(both.memory_bytes_max, std::size_t{1} << 20);
  EXPECT_EQ(both.timeout_max, std::chrono::milliseconds(1'500));
  expect_same(both, intersect(b, a));
  EXPECT_TRUE(intersect(a, {}).read_only);
  EXPECT_TRUE(intersect({}, a).read_only);
}

TEST(Intersect, KeepsOfListsWhatBothHave) {
  const Policy a = read_policy(R"({"allowed_graphs": ["g:1", "g:2"], "allowed_tools": ["x", "y"],
      "allowed_endpoints": ["e:1", "e:2"], "allowed_sources": ["s", "t"]})");
  const Policy b = read_policy(R"({"allowed_graphs": ["g:2", "g:3"], "allowed_tools": ["y", "z"],
      "allowed_endpoints": ["e:2"], "allowed_sources": ["u"]})");
  const Policy both = intersect(a, b);
  EXPECT_THAT(*both.allowed_graphs, ElementsAre("g:2"));
  EXPECT_THAT(*both.allowed_tools, ElementsAre("y"));
  EXPECT_THAT(*both.allowed_endpoints, ElementsAre("e:2"));
  // Nothing in common allows nothing, not everything.
  ASSERT_TRUE(both.allowed_sources);
  EXPECT_THAT(*both.allowed_sources, IsEmpty());
  EXPECT_FALSE(allows_source(both, "s"));
  EXPECT_TRUE(allows_source(a, "s"));
  EXPECT_FALSE(allows_source(a, "u"));
  expect_same(both, intersect(b, a));
}

TEST(Intersect, AListThatIsNotThereTakesNothing) {
  const Policy a = read_policy(R"({"allowed_graphs": ["g:1"], "allowed_tools": [],
      "allowed_paths": ["/data"], "allowed_sources": ["s"]})");
  const Policy both = intersect(a, {});
  EXPECT_THAT(*both.allowed_graphs, ElementsAre("g:1"));
  EXPECT_THAT(*both.allowed_tools, IsEmpty());
  EXPECT_THAT(*both.allowed_sources, ElementsAre("s"));
  // A policy that names no endpoints and no folders allows none.
  Policy open;
  open.allowed_endpoints = {"e:1"};
  open.allowed_paths = {"/data"};
  EXPECT_THAT(*intersect(open, {}).allowed_paths, IsEmpty());
  EXPECT_THAT(*intersect(open, {}).allowed_endpoints, IsEmpty());
}

TEST(Intersect, OfFoldersTheDeeperOne) {
  const Policy a = read_policy(R"({"allowed_paths": ["/data", "/home/a/", "/tmp/x", "rel"]})");
  const Policy b = read_policy(
      R"({"allowed_paths": ["/data/public", "/home", "/tmp/xy", "/data/../etc", "rel/sub"]})");
  EXPECT_THAT(*intersect(a, b).allowed_paths, ElementsAre("/data/public", "/home/a/", "rel/sub"));
  expect_same(intersect(a, a), a);
  const Policy root = read_policy(R"({"allowed_paths": ["/"]})");
  EXPECT_THAT(*intersect(root, b).allowed_paths,
              ElementsAre("/data/public", "/home", "/tmp/xy", "/data/../etc", "rel/sub"));
}

TEST(Intersect, ALinkOutOfAFolderDoesNotLieInIt) {
  const TempDirectory directory;
  std::filesystem::create_directory(directory.path() / "in");
  std::filesystem::create_directory(directory.path() / "out");
  std::filesystem::create_directory_symlink(directory.path() / "out",
                                            directory.path() / "in" / "link");
  Policy a;
  a.allowed_paths = {(directory.path() / "in").string()};
  Policy b;
  b.allowed_paths = {(directory.path() / "in" / "link").string()};
  EXPECT_THAT(*intersect(a, b).allowed_paths, IsEmpty());
}

TEST(Intersect, AnUnrestrictedPolicyChangesNothing) {
  const Policy a = read_policy(R"({"read_only": false, "max_rows": 5, "allowed_graphs": ["g:1"],
      "allowed_endpoints": ["e:1"], "allowed_paths": ["/data"], "timeout": 3600})");
  expect_same(intersect(a, unrestricted_policy()), a);
  expect_same(intersect(unrestricted_policy(), a), a);
  expect_same(intersect(Policy(), unrestricted_policy()), Policy());
  // What it says restricts, and nothing else.
  const Policy source =
      read_policy(R"({"max_rows": 3, "allowed_endpoints": ["e:2"]})", unrestricted_policy());
  const Policy both = intersect(a, source);
  EXPECT_EQ(both.max_rows, 3U);
  EXPECT_FALSE(both.read_only);
  EXPECT_THAT(*both.allowed_endpoints, IsEmpty());
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

// For each key, policies that differ in it.
std::vector<Policy> policies_with(std::string_view key) {
  const std::map<std::string_view, std::vector<std::string>> values = {
      {"allowed_tools", {R"(["x"])", R"(["x", "y"])", "[]"}},
      {"allowed_sources", {R"(["x"])", R"(["x", "y"])", "[]"}},
      {"allowed_graphs", {R"(["g:x"])", R"(["g:x", "g:y"])", "[]"}},
      {"denied_graphs", {R"(["g:x"])", R"(["g:x", "g:y"])", "[]"}},
      {"allowed_tables", {R"(["x"])", R"(["x", "y"])", "[]"}},
      {"denied_tables", {R"(["x"])", R"(["x", "y"])", "[]"}},
      {"allowed_columns", {R"(["t.x"])", R"(["t.x", "t.y"])"}},
      {"denied_columns", {R"(["t.x"])", R"(["t.x", "t.y"])", "[]"}},
      {"allowed_functions", {R"(["x"])", R"(["x", "s.y"])", "[]"}},
      {"allowed_endpoints", {R"(["e:x"])", R"(["e:x", "e:y"])", "[]"}},
      {"denied_endpoints", {R"(["e:x"])", R"(["e:x", "e:y"])", "[]"}},
      {"allowed_paths", {R"(["/x"])", R"(["/x", "/y"])", R"(["/"])", "[]"}},
      {"read_only", {"true", "false"}},
      {"memory_writes", {"true", "false"}},
      {"allow_ddl", {"true", "false"}},
      {"require_confirmation", {"true", "false", R"("two_step")"}},
      {"max_affected_rows", {"0", "7", "1000"}},
      {"max_affected_rows_per_session", {"0", "7", "1000"}},
      {"max_affected_rows_per_hour", {"0", "7", "1000"}},
      {"snapshot_rows", {"0", "7", "1000"}},
      {"max_rows", {"1", "7", "1000"}},
      {"max_chars", {"200", "700", "10000"}},
      {"rows_stored_max", {"1", "7", "1000"}},
      {"bytes_stored_max", {"1024", "70000"}},
      {"timeout", {"0.5", "7", "1000"}},
      {"memory_bytes_max", {"2000000", "70000000"}},
      {"audit", {"true", "false", R"("fingerprint")"}},
  };
  std::vector<Policy> policies = {unrestricted_policy()};
  const auto found = values.find(key);
  EXPECT_TRUE(found != values.end()) << key << " has no values here";
  if (found == values.end()) return policies;
  for (const std::string& value : found->second) {
    policies.push_back(
        read_policy("{\"" + std::string(key) + "\": " + value + "}", unrestricted_policy()));
  }
  return policies;
}

std::string text_of(const Policy& policy) { return to_json(policy_to_json(policy)); }

// The intersection of a key is that of sets: the order does not matter, nothing is gained by doing
// it again, and nothing that one of both restricts is free afterwards.
TEST(Intersect, OfEveryKeyNeverAllowsMore) {
  for (const PolicyKey& key : policy_keys()) {
    const std::vector<Policy> policies = policies_with(key.name);
    for (const Policy& a : policies) {
      EXPECT_EQ(text_of(intersect(a, a)), text_of(a)) << key.name;
      EXPECT_EQ(text_of(intersect(a, unrestricted_policy())), text_of(a)) << key.name;
      for (const Policy& b : policies) {
        const Policy both = intersect(a, b);
        const std::string shown = text_of(a) + " and " + text_of(b);
        EXPECT_EQ(text_of(both), text_of(intersect(b, a))) << shown;
        EXPECT_EQ(text_of(intersect(both, a)), text_of(both)) << shown;
        EXPECT_EQ(key.restricts(both), key.restricts(a) || key.restricts(b)) << shown;
        for (const Policy& c : policies) {
          EXPECT_EQ(text_of(intersect(both, c)), text_of(intersect(a, intersect(b, c)))) << shown;
        }
      }
    }
  }
}

TEST(PolicyKeys, CanBeLifted) {
  for (const PolicyKey& key : policy_keys()) {
    for (const Policy& policy : policies_with(key.name)) {
      Policy lifted = policy;
      key.lift(lifted);
      EXPECT_FALSE(key.restricts(lifted)) << key.name;
      EXPECT_EQ(text_of(lifted), text_of(unrestricted_policy())) << key.name;
      if (!key.hides_data) EXPECT_EQ(visibility_key(policy), "") << key.name;
    }
  }
}

}  // namespace
}  // namespace helve::toolkit
