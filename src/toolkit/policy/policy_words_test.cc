#include "toolkit/policy/policy_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const Policy& policy, const std::set<std::string>& written = {}) {
  return warnings_about(policy, written, [](const auto& name) { return name == "data_modify"; });
}

TEST(PolicyWords, TellWhatTheDefaultLetsDo) {
  const auto words = words_of(Policy());
  EXPECT_THAT(words, Contains("reads all tables"));
  EXPECT_THAT(words, Contains("changes nothing"));
  EXPECT_THAT(words, Contains("asks no other endpoint (SERVICE is refused)"));
  EXPECT_THAT(words, Contains(HasSubstr("at most 10,000 rows and 20,000 characters")));
  EXPECT_THAT(words, Contains("calls are recorded in full where there is an audit file"));
  EXPECT_THAT(warnings(Policy()), IsEmpty());
}

TEST(PolicyWords, TellHowChangesAreConfirmed) {
  Policy policy;
  policy.read_only = false;
  auto words = words_of(policy);
  EXPECT_THAT(words, Contains(HasSubstr("at most 1,000 rows by a statement")));
  EXPECT_THAT(words, Contains("may not make, change or drop tables"));
  EXPECT_THAT(words, Contains(HasSubstr("second call with a token")));
  policy.require_confirmation = Confirmation::Person;
  policy.allow_ddl = true;
  words = words_of(policy);
  EXPECT_THAT(words, Contains(HasSubstr("confirmed by a person first")));
  EXPECT_THAT(words, Contains("may make, change and drop tables"));
}

TEST(PolicyWords, OfWhoMayNothingAreShort) {
  Policy policy;
  policy.allowed_tools.emplace();
  EXPECT_THAT(words_of(policy), ElementsAre("may call no tool: everything is refused"));
}

TEST(PolicyWords, OfSourcesTellWhatIsTakenAway) {
  Policy policy = unrestricted_policy();
  EXPECT_THAT(restrictions_of(policy), ElementsAre("takes nothing away"));
  policy.denied_columns = {"customer.email"};
  policy.max_rows = 5;
  EXPECT_THAT(restrictions_of(policy),
              ElementsAre("never reads the columns customer.email", "at most 5 rows in a reply"));
}

TEST(PolicyWords, WarnOfWhatHasNoEffect) {
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

TEST(PolicyWords, WarnOfContradictions) {
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
        "customer is both in allowed_tables and in denied_tables", "g_load and ont_load",
        "orders.id is both in allowed_columns and in denied_columns"}) {
    EXPECT_THAT(all, Contains(HasSubstr(one))) << one;
  }
}

}  // namespace
}  // namespace helve::toolkit
