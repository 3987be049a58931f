#include "toolkit/sql/sql_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> names(std::string_view sql) {
  const auto text = read_sql(sql);
  EXPECT_TRUE(text) << sql;
  return text ? text->names : std::vector<std::string>();
}

TEST(SqlText, FindsNamesHoweverTheyAreQuoted) {
  EXPECT_THAT(names("a.\"b \"\"c\"JOIN[d]JOIN`e`,1e5 'f''g'"),
              ElementsAre("a", "b \"c", "JOIN", "d", "e", "1e5", "f'g"));
}

TEST(SqlText, PassesOverComments) {
  EXPECT_THAT(names("a -- b 'c\n/* d \" */ e -- f"), ElementsAre("a", "e"));
  EXPECT_THAT(names("a /* b"), ElementsAre("a"));
}

TEST(SqlText, WritesFeedsOut) {
  const auto text = read_sql("SELECT 1 WHERE x IN ( @results_0.protein )");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "SELECT 1 WHERE x IN ( SELECT \"protein\" FROM \"results_0\" )");
  EXPECT_THAT(text->names, Contains("results_0"));
  EXPECT_EQ(read_sql("'(@a.b)' -- (@a.b)")->text, "'(@a.b)' -- (@a.b)");
}

TEST(SqlText, RefusesFeedsElsewhere) {
  for (const char* sql :
       {"SELECT @a.b", "IN (@a.b, 1)", "IN (1, @a.b)", "(@a.b", "IN (@a.b + 1)"}) {
    EXPECT_FALSE(read_sql(sql)) << sql;
  }
}

TEST(SqlText, LeavesAllElseToSqlite) {
  for (const char* sql : {"", "@", "@x", "(@x.)", "$%&", "\xFF\xFE", ";;;"}) {
    const auto text = read_sql(sql);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->text, sql);
  }
  EXPECT_FALSE(read_sql("SELECT 'open"));
  EXPECT_THAT(names("'x'"), Not(Contains("")));
}

}  // namespace
}  // namespace helve::toolkit
