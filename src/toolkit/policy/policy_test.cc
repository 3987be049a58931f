#include "toolkit/policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;

Result<Policy> read(std::string_view text) {
  const auto json = parse_json(text, {});
  EXPECT_TRUE(json) << text;
  return policy_from_json(*json);
}

TEST(Policy, GrantsLittleUnlessToldOtherwise) {
  const Policy policy = *read("{}");
  EXPECT_TRUE(policy.read_only);
  EXPECT_TRUE(policy.allowed_endpoints->empty());
  EXPECT_EQ(policy.max_rows, 10'000U);
  EXPECT_EQ(policy.max_chars, 20'000U);
  EXPECT_EQ(policy.timeout_max, std::chrono::seconds(300));
  EXPECT_FALSE(policy.allowed_graphs);
  EXPECT_FALSE(policy.allowed_tools);
  EXPECT_TRUE(policy.allowed_paths->empty());
  EXPECT_EQ(policy.require_confirmation, Confirmation::Person);
}

TEST(Policy, ReadsEveryKey) {
  const auto policy = read(R"({"read_only": false, "max_rows": 5, "rows_stored_max": 6,
      "bytes_stored_max": 2048, "max_chars": 300, "memory_bytes_max": 1048576, "timeout": 1.5,
      "allowed_graphs": [], "allowed_endpoints": ["http://e/"], "allowed_tools": ["b", "a"],
      "allowed_paths": ["/data"]})");
  ASSERT_TRUE(policy) << policy.error().to_string();
  EXPECT_FALSE(policy->read_only);
  EXPECT_EQ(policy->max_rows, 5U);
  EXPECT_EQ(policy->rows_stored_max, 6U);
  EXPECT_EQ(policy->bytes_stored_max, 2048U);
  EXPECT_EQ(policy->max_chars, 300U);
  EXPECT_EQ(policy->memory_bytes_max, std::size_t{1} << 20);
  EXPECT_EQ(policy->timeout_max, std::chrono::milliseconds(1'500));
  ASSERT_TRUE(policy->allowed_graphs);
  EXPECT_TRUE(policy->allowed_graphs->empty());
  EXPECT_THAT(*policy->allowed_endpoints, ElementsAre("http://e/"));
  EXPECT_THAT(*policy->allowed_tools, ElementsAre("a", "b"));
  EXPECT_THAT(*policy->allowed_paths, ElementsAre("/data"));
}

// What cannot be read is never taken for the default.
TEST(Policy, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"[]",
                           "null",
                           R"({"readonly": true})",
                           R"({"read_only": "false"})",
                           R"({"read_only": 0})",
                           R"({"max_rows": 0})",
                           R"({"max_rows": -1})",
                           R"({"max_rows": "10"})",
                           R"({"max_chars": 100})",
                           R"({"timeout": 0})",
                           R"({"timeout": -1})",
                           R"({"timeout": 1e9})",
                           R"({"allowed_graphs": null})",
                           R"({"allowed_graphs": ["plain"]})",
                           R"({"allowed_graphs": ["<http://x/>"]})",
                           R"({"allowed_graphs": ["http://x/a b"]})",
                           R"({"allowed_graphs": "http://x/"})",
                           R"({"allowed_graphs": [1]})",
                           R"({"allowed_endpoints": [""]})",
                           R"({"allowed_tabels": []})"}) {
    const auto policy = read(text);
    ASSERT_FALSE(policy) << text;
    EXPECT_EQ(policy.error().code, ErrorCode::InvalidInput) << text;
  }
}

}  // namespace

TEST(Policy, ReadsWhatWritesNeed) {
  const auto policy = policy_from_json(*parse_json(
      R"({"read_only": false, "allow_ddl": true, "require_confirmation": "person",
          "max_affected_rows": 5, "snapshot_rows": 0, "audit": "fingerprint"})"));
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->allow_ddl);
  EXPECT_EQ(policy->require_confirmation, Confirmation::Person);
  EXPECT_EQ(policy->max_affected_rows, 5U);
  EXPECT_EQ(policy->snapshot_rows, 0U);
  EXPECT_EQ(policy->audit, AuditMode::Fingerprint);
  for (const char* wrong :
       {R"({"allow_ddl": "yes"})", R"({"require_confirmation": "none"})",
        R"({"require_confirmation": "any"})", R"({"require_confirmation": 1})",
        R"({"max_affected_rows": -1})", R"({"audit": "all"})", R"({"snapshot_rows": 100000})",
        R"({"denied_graphs": ["x"]})", R"({"allowed_columns": ["email"]})",
        R"({"denied_tables": ["*"]})", R"({"denied_columns": ["*.ssn"]})",
        R"({"allowed_tables": ["a.b.c"]})", R"({"denied_endpoints": "x"})"}) {
    EXPECT_FALSE(policy_from_json(*parse_json(wrong))) << wrong;
  }
}

TEST(Policy, TheStricterOfTwoAsksForMore) {
  Policy loose = unrestricted_policy();
  Policy strict;
  strict.audit = AuditMode::Full;
  strict.denied_graphs = {"http://a"};
  for (const Policy& both : {intersect(loose, strict), intersect(strict, loose)}) {
    EXPECT_TRUE(both.read_only);
    EXPECT_FALSE(both.allow_ddl);
    EXPECT_EQ(both.require_confirmation, Confirmation::Person);
    EXPECT_EQ(both.max_affected_rows, 1'000U);
    EXPECT_EQ(both.audit, AuditMode::Full);
    EXPECT_EQ(both.denied_graphs.size(), 1U);
  }
  loose.audit = AuditMode::Off;
  EXPECT_EQ(intersect(loose, strict).audit, AuditMode::Full);
  strict.audit = AuditMode::Fingerprint;
  EXPECT_EQ(intersect(loose, strict).audit, AuditMode::Fingerprint);
}

}  // namespace helve::toolkit
