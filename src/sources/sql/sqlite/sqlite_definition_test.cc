// What is read out of CREATE statements, and plans.
#include "sources/sql/sqlite/sqlite_definition.h"

#include <gmock/gmock.h>

#include "sources/sql/sqlite/sqlite_plan.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SqliteDefinition, Checks) {
  EXPECT_THAT(checks_of("CREATE TABLE t(a CHECK (a > (1)), b TEXT DEFAULT 'CHECK (x)', "
                        "CONSTRAINT c check( a<b -- why\n ), \"CHECK\" INT)"),
              ElementsAre("a > (1)", "a<b"));
  EXPECT_THAT(checks_of("CREATE TABLE t(a CHECK (a > 1"), IsEmpty());
  EXPECT_THAT(checks_of("CREATE TABLE t(a 'open"), IsEmpty());
}

TEST(SqliteDefinition, PartsOfAnIndex) {
  EXPECT_THAT(
      parts_of("CREATE UNIQUE INDEX i ON t (a, lower(b, 1) COLLATE NOCASE DESC, \"c d\" ASC) "
               "WHERE a > (1)"),
      ElementsAre("a", "lower(b, 1)", "\"c d\""));
  EXPECT_THAT(parts_of("CREATE INDEX i ON t"), IsEmpty());
  EXPECT_THAT(parts_of("CREATE INDEX i ON t (a"), IsEmpty());
}

TEST(SqliteDefinition, ContentOfVirtualTables) {
  const auto content_of = [](std::string_view arguments) -> std::string {
    const auto read = read_virtual_definition("CREATE VIRTUAL TABLE \"a USING b\" using FTS5" +
                                              std::string(arguments));
    if (!read) return "unknown";
    EXPECT_EQ(read->module, "fts5");
    return read->content.value_or("none");
  };
  EXPECT_EQ(content_of("(a, b)"), "none");
  EXPECT_EQ(content_of("(a, content='')"), "none");
  EXPECT_EQ(content_of("(a, content=, prefix='2 3')"), "none");
  EXPECT_EQ(content_of("(a, tokenize = \"unicode61 tokenchars '='\", detail=none)"), "none");
  EXPECT_EQ(content_of("(a, content='Customer', content_rowid=id)"), "customer");
  EXPECT_EQ(content_of("(a, CONT = [customer])"), "customer");
  EXPECT_EQ(content_of("(a, content=two words)"), "unknown");
  EXPECT_EQ(content_of("(a, content=x, content=y)"), "unknown");
  EXPECT_EQ(content_of("(a, content='x"), "unknown");
  EXPECT_EQ(content_of("(a, content="), "unknown");
  EXPECT_FALSE(read_virtual_definition("CREATE TABLE t(a)"));
  EXPECT_EQ(read_virtual_definition("CREATE VIRTUAL TABLE r USING \"RTree\"(a, b, c)")->module,
            "rtree");
}

TEST(SqlitePlan, IsATree) {
  const auto plan =
      plan_of({{2, 0, "SCAN a"}, {5, 0, "SUBQUERY"}, {7, 5, "SCAN b"}, {9, 0, "SORT"}});
  EXPECT_EQ(plan.text, "SCAN a\nSUBQUERY\n  SCAN b\nSORT");
  EXPECT_EQ(to_json(plan.tree),
            R"([{"detail":"SCAN a"},{"detail":"SUBQUERY","steps":[{"detail":"SCAN b"}]},)"
            R"({"detail":"SORT"}])");
}

TEST(SqlitePlan, DeepAndOddTreesAreBounded) {
  std::vector<PlanStep> steps;
  for (std::int64_t i = 1; i <= 5'000; ++i) steps.push_back({i, i - 1, "x"});
  EXPECT_LT(plan_of(steps).text.size(), 5'000 * 203);
  EXPECT_EQ(plan_of({{1, 9, "a"}, {1, 1, "b"}}).text, "a\n  b");
  EXPECT_EQ(plan_of({}).text, "");
}

}  // namespace
}  // namespace helve::sql
