#include "helve/policy.h"

#include <gtest/gtest.h>

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
