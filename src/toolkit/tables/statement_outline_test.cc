#include "toolkit/tables/statement_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;

struct Read {
  std::string sql;
  std::vector<SqlToken> tokens;
  StatementOutline outline;

  explicit Read(std::string text, const std::vector<SqlValue>& parameters = {},
                SqlDialect dialect = SqlDialect::Sqlite)
      : sql(std::move(text)) {
    auto read = read_sql_tokens(sql, dialect);
    EXPECT_TRUE(read.has_value()) << sql;
    tokens = *std::move(read);
    outline = outline_of(tokens, parameters, dialect);
  }
  std::vector<std::string> tables() const {
    std::vector<std::string> names;
    for (const TableUse& table : outline.all_tables) {
      names.push_back((table.schema.empty() ? "" : table.schema + ".") + table.name + "/" +
                      table.alias + (table.is_outer ? "?" : ""));
    }
    return names;
  }
  std::vector<std::string> conditions() const {
    std::vector<std::string> texts;
    for (const SqlCondition& one : outline.conditions) texts.emplace_back(one.span.of(sql));
    return texts;
  }
};

TEST(StatementOutline, FindsTablesAndTheirNames) {
  EXPECT_THAT(Read("SELECT * FROM a").tables(), ElementsAre("a/a"));
  EXPECT_THAT(Read("SELECT * FROM a x, s.b AS y").tables(), ElementsAre("a/x", "s.b/y"));
  EXPECT_THAT(
      Read("SELECT * FROM a JOIN b ON a.i = b.i LEFT OUTER JOIN c USING (i) WHERE 1").tables(),
      ElementsAre("a/a", "b/b", "c/c?"));
  EXPECT_THAT(Read("SELECT * FROM a RIGHT JOIN b ON 1 = 1").tables(), ElementsAre("a/a?", "b/b"));
  EXPECT_THAT(Read("SELECT (SELECT max(x) FROM b WHERE b.i = a.i) FROM \"a b\" a").tables(),
              ElementsAre("b/b", "a b/a"));
  EXPECT_THAT(Read("SELECT * FROM (SELECT 1 FROM a) AS d JOIN b ON 1").tables(),
              ElementsAre("a/a", "/d", "b/b"));
  EXPECT_THAT(Read("SELECT * FROM json_each('[1]') j, a").tables(), ElementsAre("a/a"));
}

TEST(StatementOutline, KnowsWhatWithDefines) {
  const Read read("WITH RECURSIVE t(n) AS (SELECT 1 FROM a), u AS (SELECT 2) SELECT * FROM t, u");
  EXPECT_THAT(read.outline.defined, ElementsAre("t", "u"));
  EXPECT_TRUE(read.outline.is_select);
  EXPECT_EQ(read.outline.tables.size(), 2U);
  EXPECT_EQ(read.outline.from.of(read.sql), "t, u");
}

TEST(StatementOutline, ReadsConditionsApart) {
  const Read read(
      "SELECT * FROM a WHERE x = 'v' AND (y BETWEEN 1 AND -2.5) AND z NOT IN (1, NULL) AND "
      "LOWER(w) LIKE 'a%' AND 5 < v AND a.i = b.i AND n IS NOT NULL AND (p = 1 OR q = 2) "
      "GROUP BY x HAVING count(*) > 1 ORDER BY x LIMIT 0");
  EXPECT_THAT(read.conditions(), ElementsAre("x = 'v'", "(y BETWEEN 1 AND -2.5)",
                                             "z NOT IN (1, NULL)", "LOWER(w) LIKE 'a%'", "5 < v",
                                             "a.i = b.i", "n IS NOT NULL", "(p = 1 OR q = 2)"));
  const auto& all = read.outline.conditions;
  using Kind = SqlCondition::Kind;
  EXPECT_EQ(all[0].kind, Kind::Compare);
  EXPECT_TRUE(all[0].values[0].is_text);
  EXPECT_EQ(all[1].kind, Kind::Between);
  EXPECT_EQ(all[1].values[1].value->value, "-2.5");
  EXPECT_EQ(all[2].kind, Kind::In);
  EXPECT_TRUE(all[2].is_negated);
  EXPECT_FALSE(all[2].values[1].value.has_value());
  EXPECT_EQ(all[3].kind, Kind::Like);
  EXPECT_EQ(all[3].expression.of(read.sql), "LOWER(w)");
  EXPECT_EQ(all[3].columns.size(), 1U);
  EXPECT_EQ(all[4].comparison, ">");
  EXPECT_EQ(all[4].expression.of(read.sql), "v");
  EXPECT_EQ(all[5].kind, Kind::Columns);
  EXPECT_EQ(all[5].columns[1].qualifier, "b");
  EXPECT_EQ(all[6].kind, Kind::IsNotNull);
  EXPECT_EQ(all[7].kind, Kind::Other);
  EXPECT_TRUE(read.outline.is_grouped);
  EXPECT_EQ(read.outline.having.of(read.sql), "count(*) > 1");
  EXPECT_EQ(read.outline.limit, "0");
}

TEST(StatementOutline, OneOrMakesOneCondition) {
  EXPECT_THAT(Read("SELECT 1 FROM a WHERE x = 1 AND y = 2 OR z = 3").conditions(),
              ElementsAre("x = 1 AND y = 2 OR z = 3"));
  EXPECT_THAT(
      Read("SELECT 1 FROM a WHERE CASE WHEN x = 1 AND y = 2 THEN 1 END = 1 AND z = 3").conditions(),
      ElementsAre("CASE WHEN x = 1 AND y = 2 THEN 1 END = 1", "z = 3"));
}

TEST(StatementOutline, KnowsValuesOfParameters) {
  const SqlValue text = rdf::Term(rdf::TermView::literal("v"));
  const Read marks("SELECT ? FROM a WHERE x = ?", {std::nullopt, text});
  EXPECT_EQ(marks.outline.conditions[0].values[0].value, text);
  const Read numbers("SELECT 1 FROM a WHERE x = $2", {std::nullopt, text}, SqlDialect::PostgreSql);
  EXPECT_EQ(numbers.outline.conditions[0].values[0].value, text);
}

TEST(StatementOutline, ReadsJoins) {
  const Read read("SELECT 1 FROM a JOIN b USING (i, j) JOIN c ON c.k = b.k AND c.x = 'v' WHERE 1");
  ASSERT_EQ(read.outline.joins.size(), 4U);
  EXPECT_EQ(read.outline.joins[0].columns[0].qualifier, "a");
  EXPECT_EQ(read.outline.joins[1].columns[1].name, "j");
  EXPECT_EQ(read.outline.joins[2].kind, SqlCondition::Kind::Columns);
  EXPECT_EQ(read.outline.joins[3].kind, SqlCondition::Kind::Compare);
}

TEST(StatementOutline, LeavesWhatItDoesNotUnderstand) {
  for (const char* sql : {"",
                          ";",
                          "SELECT",
                          "SELECT 1",
                          "SELECT FROM",
                          "SELECT 1 FROM",
                          "FROM",
                          "WHERE x = 1",
                          "SELECT 1 FROM a UNION SELECT 2 FROM b",
                          "((((",
                          "))))",
                          "SELECT ( FROM a WHERE",
                          "VALUES (1)",
                          "WITH",
                          "SELECT 1 FROM a WHERE",
                          "SELECT 1 FROM a WHERE AND AND",
                          "SELECT 1 FROM a JOIN",
                          "SELECT 1 FROM a, , b",
                          "SELECT 1 FROM a WHERE x IN (",
                          "SELECT 1 FROM a WHERE x IN ()",
                          "SELECT 1 FROM a LIMIT",
                          "SELECT 1 FROM .",
                          "case end end"}) {
    const Read read(sql);
    for (const SqlCondition& one : read.outline.conditions) {
      EXPECT_LE(one.span.end, read.sql.size()) << sql;
    }
  }
  EXPECT_FALSE(Read("SELECT 1 FROM a UNION SELECT 2 FROM b").outline.is_select);
}

TEST(StatementOutline, HasBounds) {
  std::string sql = "SELECT 1 FROM t0";
  for (int i = 1; i < 5'000; ++i) sql += ", t" + std::to_string(i);
  sql += " WHERE " + std::string(20'000, '(') + "x" + std::string(20'000, ')');
  for (int i = 0; i < 20'000; ++i) sql += " AND x = 1";
  const Read read(sql);
  EXPECT_LE(read.outline.all_tables.size(), 64U);
  EXPECT_LE(read.outline.conditions.size(), 64U);
}

}  // namespace
}  // namespace helve::toolkit
