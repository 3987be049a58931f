#include "sources/table_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve {
namespace {

using ::testing::ElementsAre;

TableRules rules_of(std::vector<std::string> columns) {
  TableRules rules;
  rules.allowed_columns = std::move(columns);
  return rules;
}

TEST(TableRules, LimitTablesThatHaveAnEntryAndNoOthers) {
  const TableRules rules = rules_of({"Customer.name", "customer.CITY"});
  EXPECT_TRUE(limits_columns(rules, "public", "CUSTOMER"));
  EXPECT_TRUE(limits_columns(rules, "", "customer"));
  EXPECT_FALSE(limits_columns(rules, "public", "customers"));
  EXPECT_TRUE(leaves_column(rules, "public", "customer", "Name"));
  EXPECT_TRUE(leaves_column(rules, "sales", "customer", "city"));
  EXPECT_FALSE(leaves_column(rules, "public", "customer", "email"));
  EXPECT_FALSE(leaves_column(rules, "public", "customer", ""));
  EXPECT_TRUE(leaves_column(rules, "public", "orders", "email"));
}

TEST(TableRules, WithoutAListLimitNothingAndWithAnEmptyOneNeither) {
  EXPECT_FALSE(limits_columns({}, "public", "customer"));
  EXPECT_TRUE(leaves_column({}, "public", "customer", "email"));
  EXPECT_TRUE(leaves_column(rules_of({}), "public", "customer", "email"));
}

TEST(TableRules, TakeSchemasAsTheyAreWritten) {
  const TableRules rules = rules_of({"sales.customer.name", "a.b.c"});
  EXPECT_FALSE(leaves_column(rules, "sales", "customer", "email"));
  EXPECT_TRUE(leaves_column(rules, "public", "customer", "email"));
  EXPECT_FALSE(leaves_column(rules, "", "a.b", "d"));  // a dot in a name
  EXPECT_FALSE(leaves_column(rules, "a", "b", "d"));
}

TEST(TableRules, OfSeveralNamesOfATableLeaveWhatAllLeave) {
  const TableRules rules = rules_of({"t.x", "t.y", "public.t.y", "public.t.z"});
  EXPECT_FALSE(leaves_column(rules, "public", "t", "x"));
  EXPECT_TRUE(leaves_column(rules, "public", "t", "y"));
  EXPECT_FALSE(leaves_column(rules, "public", "t", "z"));
  EXPECT_TRUE(leaves_column(rules, "other", "t", "x"));
}

TEST(TableRules, OfTwoListsLeaveWhatBothLeave) {
  EXPECT_THAT(common_columns({"t.x", "t.y"}, {"T.Y", "u.z"}), ElementsAre("t.y", "u.z"));
  EXPECT_THAT(common_columns({"t.x"}, {}), ElementsAre("t.x"));
}

TEST(TableRules, OfListsThatHaveNothingInCommonLeaveNothing) {
  const auto both = common_columns({"t.x"}, {"t.y"});
  EXPECT_THAT(both, ElementsAre("t."));
  const TableRules rules = rules_of(both);
  for (const char* column : {"x", "y", "z", ""}) {
    EXPECT_FALSE(leaves_column(rules, "", "t", column)) << column;
  }
  EXPECT_THAT(common_columns(both, {"t.x"}), ElementsAre("t."));
}

}  // namespace
}  // namespace helve
