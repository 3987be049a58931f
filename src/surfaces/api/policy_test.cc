#include "helve/policy.h"

#include <gtest/gtest.h>

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
  const auto policy = Policy::from_json(
      R"({"read_only": false, "allow_ddl": true, "require_confirmation": "person",
          "max_affected_rows": 3, "snapshot_rows": 2, "audit": "fingerprint",
          "rows_stored_max": 5, "bytes_stored_max": 2000, "max_chars": 300,
          "memory_bytes_max": 2000000, "allowed_endpoints": ["http://e/"],
          "denied_graphs": ["http://x/g"], "denied_endpoints": ["http://x/e"],
          "allowed_tables": ["t"], "denied_tables": ["u"], "allowed_columns": ["t.a"],
          "denied_columns": ["t.b"], "allowed_paths": ["/p"], "allowed_sources": ["s"]})");
  ASSERT_TRUE(policy) << policy.error().to_string();
  const auto checked = checked_policy(*policy);
  ASSERT_TRUE(checked);
  EXPECT_FALSE(checked->read_only);
  EXPECT_TRUE(checked->allow_ddl);
  EXPECT_EQ(checked->require_confirmation, toolkit::Confirmation::Person);
  EXPECT_EQ(checked->max_affected_rows, 3U);
  EXPECT_EQ(checked->snapshot_rows, 2U);
  EXPECT_EQ(checked->audit, toolkit::AuditMode::Fingerprint);
  EXPECT_EQ(checked->rows_stored_max, 5U);
  EXPECT_EQ(checked->bytes_stored_max, 2'000U);
  EXPECT_EQ(checked->max_chars, 300U);
  EXPECT_EQ(checked->memory_bytes_max, 2'000'000U);
  EXPECT_EQ(toolkit::sight_of(*checked),
            "G10:http://x/gt1:tT1:uc3:t.aC3:t.be9:http://e/E10:http://x/ep2:/ps1:s");
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
