#include "toolkit/policy/policy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const Policy& policy, const std::set<std::string>& written = {}) {
  return lint_policy(policy, written, [](const auto& name) { return name == "data_modify"; });
}

TEST(PolicyText, SaysWhatTheDefaultAllows) {
  const auto words = describe_policy(Policy());
  EXPECT_THAT(words, Contains("reads all tables"));
  EXPECT_THAT(words, Contains("changes nothing"));
  EXPECT_THAT(words, Contains("asks no other endpoints (SERVICE is refused)"));
  EXPECT_THAT(words, Contains("sees at most 10,000 rows in a reply"));
  EXPECT_THAT(words, Contains("is recorded in full where there is an audit file"));
  EXPECT_THAT(warnings(Policy()), IsEmpty());
}

TEST(PolicyText, SaysHowChangesAreConfirmed) {
  Policy policy;
  policy.read_only = false;
  auto words = describe_policy(policy);
  EXPECT_THAT(words, Contains("changes at most 1,000 rows by one statement or transaction"));
  EXPECT_THAT(words, Contains("may not create, change or drop tables"));
  EXPECT_THAT(words, Contains(HasSubstr("only after a person confirmed it; where")));
  policy.require_confirmation = Confirmation::TwoStep;
  policy.allow_ddl = true;
  words = describe_policy(policy);
  EXPECT_THAT(words, Contains(HasSubstr("second call with a token")));
  EXPECT_THAT(words, Contains("may create, change and drop tables"));
}

TEST(PolicyText, IsShortIfNothingIsAllowed) {
  Policy policy;
  policy.allowed_tools.emplace();
  EXPECT_THAT(describe_policy(policy), ElementsAre("may call no tool: everything is refused"));
}

TEST(PolicyText, OfASourceSaysWhatItRestricts) {
  Policy policy = unrestricted_policy();
  EXPECT_THAT(describe_restrictions(policy), ElementsAre("restricts nothing"));
  policy.denied_columns = {"customer.email"};
  policy.max_rows = 5;
  EXPECT_THAT(
      describe_restrictions(policy),
      ElementsAre("never reads these columns: customer.email", "sees at most 5 rows in a reply"));
}

TEST(PolicyText, WarnsOfKeysWithoutEffect) {
  Policy policy;
  policy.allow_ddl = true;
  policy.allowed_tools = {"data_modify", "sparql_query"};
  policy.allowed_tables = {"customer"};
  policy.denied_tables = {"salary"};
  policy.denied_columns = {"salary.amount"};
  policy.denied_endpoints = {"http://e/"};
  EXPECT_THAT(
      warnings(policy, {"allow_ddl", "max_affected_rows"}),
      ElementsAre("allowed_tools has data_modify, which changes data: read_only refuses it",
                  "allow_ddl has no effect: read_only is true",
                  "max_affected_rows has no effect: read_only is true",
                  "denied_endpoints has http://e/, which is not in allowed_endpoints anyway",
                  "denied_tables has salary, which is not in allowed_tables anyway",
                  "denied_columns has salary.amount, whose table cannot be read anyway"));
}

TEST(PolicyText, WarnsOfContradictions) {
  Policy policy;
  policy.read_only = false;
  policy.max_affected_rows = 0;
  policy.require_confirmation = Confirmation::None;
  policy.audit = AuditMode::Off;
  policy.allowed_graphs = {"http://x/a"};
  policy.denied_graphs = {"http://x/a", "http://x/b"};
  policy.allowed_tables = {"Customer"};
  policy.denied_tables = {"customer"};
  policy.allowed_columns = {"orders.id"};
  policy.denied_columns = {"orders.ID"};
  const auto all = warnings(policy, {"require_confirmation"});
  for (const char* one :
       {"every change of a row is refused", "made without a question", "leave no record",
        "http://x/a is both in allowed_graphs and in denied_graphs: it is denied",
        "http://x/b, which is not in allowed_graphs anyway",
        "customer is both in allowed_tables and in denied_tables",
        "orders.id is both in allowed_columns and in denied_columns"}) {
    EXPECT_THAT(all, Contains(HasSubstr(one))) << one;
  }
}

}  // namespace
}  // namespace helve::toolkit
