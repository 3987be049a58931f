#include "helve/policy.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "surfaces/api/state.h"

namespace helve::api {
namespace {

TEST(Policy, IsReadFromJson) {
  const auto policy = Policy::from_json(
      R"({"max_rows": 7, "timeout": 1.5, "allowed_tools": ["a", "b"], "allowed_graphs": []})");
  ASSERT_TRUE(policy) << policy.error().to_string();
  EXPECT_EQ(policy->max_rows, 7U);
  EXPECT_EQ(policy->timeout_max, std::chrono::milliseconds(1'500));
  EXPECT_EQ(policy->allowed_tools->size(), 2U);
  ASSERT_TRUE(policy->allowed_graphs);
  EXPECT_TRUE(policy->allowed_graphs->empty());
  EXPECT_TRUE(policy->read_only);
  EXPECT_EQ(policy->max_chars, Policy().max_chars);
}

TEST(Policy, LosesNoKey) {
  constexpr std::string_view kAll =
      R"({"read_only": false, "allow_ddl": true, "require_confirmation": "two_step",
          "memory_writes": false, "allowed_functions": ["f"], "max_affected_rows_per_session": 4,
          "max_affected_rows_per_hour": 5, "max_affected_rows": 3, "snapshot_rows": 2, "audit": "fingerprint", "max_rows": 4,
          "rows_stored_max": 5, "bytes_stored_max": 2000, "max_chars": 300, "timeout": 2.5,
          "memory_bytes_max": 2000000, "allowed_endpoints": ["http://e/"],
          "allowed_graphs": ["http://x/f"], "denied_graphs": ["http://x/g"],
          "denied_endpoints": ["http://x/e"], "allowed_tools": ["b"],
          "allowed_tables": ["t"], "denied_tables": ["u"], "allowed_columns": ["t.a"],
          "denied_columns": ["t.b"], "allowed_paths": ["/p"], "allowed_sources": ["s"]})";
  const auto json = parse_json(kAll);
  for (const toolkit::PolicyKey& key : toolkit::policy_keys()) {
    EXPECT_NE(json->find(key.name), nullptr) << key.name << " is not in this test";
  }
  const auto policy = Policy::from_json(kAll);
  ASSERT_TRUE(policy) << policy.error().to_string();
  const auto checked = checked_policy(*policy);
  ASSERT_TRUE(checked) << checked.error().to_string();
  EXPECT_EQ(to_json(toolkit::policy_to_json(*checked)),
            to_json(toolkit::policy_to_json(*toolkit::policy_from_json(*json))));
}

TEST(Policy, NumbersOutOfRangeAreRefused) {
  Policy policy;
  policy.max_rows = UINT64_MAX;
  EXPECT_FALSE(checked_policy(policy));
  policy = {};
  policy.timeout_max = std::chrono::nanoseconds::max();
  EXPECT_FALSE(checked_policy(policy));
  policy = {};
  policy.timeout_max = std::chrono::nanoseconds(0);
  EXPECT_FALSE(checked_policy(policy));
}

TEST(Policy, NamesThatNameNothingAreRefused) {
  Policy policy;
  policy.denied_columns = {"email"};
  EXPECT_FALSE(checked_policy(policy));
  policy.denied_columns.clear();
  policy.denied_graphs = {"g"};
  EXPECT_FALSE(checked_policy(policy));
  policy.denied_graphs = {"http://x/g"};
  EXPECT_TRUE(checked_policy(policy));
}

TEST(Policy, NeverTurnsAMistakeIntoADefault) {
  for (const char* wrong : {"", "[]", "{", R"({"max_row": 7})", R"({"max_rows": "7"})",
                            R"({"max_rows": -1})", R"({"max_rows": 1, "max_rows": 2})",
                            R"({"read_only": "no"})", R"({"timeout": 0})", R"({"max_chars": 1})",
                            R"({"allowed_tools": "sparql_query"})", R"({"allowed_paths": [1]})"}) {
    const auto policy = Policy::from_json(wrong);
    ASSERT_FALSE(policy) << wrong;
    EXPECT_EQ(policy.error().code, ErrorCode::InvalidInput) << wrong;
    EXPECT_FALSE(policy.error().message.empty());
  }
}

}  // namespace
}  // namespace helve::api
