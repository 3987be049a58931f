#include "toolkit/tables/sql_feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;

rdf::Term text(std::string_view value) { return rdf::Term(rdf::TermView::literal(value)); }

FeedValues values(const std::vector<rdf::Term>& terms) {
  return [terms](const SqlFeed& feed) -> Result<std::vector<rdf::Term>> {
    EXPECT_EQ(feed.key, "results_0");
    EXPECT_EQ(feed.column, "x");
    return terms;
  };
}

std::vector<std::string> texts(const BoundSql& bound) {
  std::vector<std::string> all;
  for (const SqlValue& value : bound.parameters) all.push_back(value ? value->value : "NULL");
  return all;
}

TEST(SqlFeeds, BecomeParametersInTheOrderOfTheDialect) {
  const std::string sql = "SELECT ? FROM t WHERE a IN (@results_0.x) AND b = ?";
  const auto marks = bind_sql_feeds(sql, {text("first"), text("last")}, SqlDialect::MySql,
                                    values({text("v"), text("w")}));
  ASSERT_TRUE(marks.has_value());
  EXPECT_EQ(marks->sql, "SELECT ? FROM t WHERE a IN (?, ?) AND b = ?");
  EXPECT_THAT(texts(*marks), ElementsAre("first", "v", "w", "last"));
  const auto numbers = bind_sql_feeds("SELECT $2 FROM t WHERE a IN (@results_0.x, 'z') AND b = $1",
                                      {text("1"), text("2")}, SqlDialect::PostgreSql,
                                      values({text("v"), text("w")}));
  ASSERT_TRUE(numbers.has_value());
  EXPECT_EQ(numbers->sql, "SELECT $2 FROM t WHERE a IN ($3, $4, 'z') AND b = $1");
  EXPECT_THAT(texts(*numbers), ElementsAre("1", "2", "v", "w"));
  const auto again =
      bind_sql_feeds("SELECT ?2, ?1 FROM t WHERE a IN (@results_0.x)", {text("1"), text("2")},
                     SqlDialect::Sqlite, values({text("v")}));
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(texts(*again), ElementsAre("2", "1", "v"));
}

TEST(SqlFeeds, MarksOfOtherDialectsAreTranslated) {
  const auto bind = [](std::string_view sql, SqlDialect dialect) {
    return bind_sql_feeds(sql, {text("1"), text("2")}, dialect, values({text("v")}));
  };
  EXPECT_EQ(bind("SELECT a FROM t WHERE a = ? AND b = ?", SqlDialect::PostgreSql)->sql,
            "SELECT a FROM t WHERE a = $1 AND b = $2");
  EXPECT_EQ(bind("SELECT ? FROM t WHERE a IN (@results_0.x, ?)", SqlDialect::PostgreSql)->sql,
            "SELECT $1 FROM t WHERE a IN ($3, $2)");
  // An operator of PostgreSQL.
  EXPECT_EQ(bind("SELECT j ? 'a' FROM t WHERE a IN ($1, $2)", SqlDialect::PostgreSql)->sql,
            "SELECT j ? 'a' FROM t WHERE a IN ($1, $2)");
  for (const SqlDialect dialect : {SqlDialect::MySql, SqlDialect::Sqlite}) {
    const auto turned = bind("SELECT a FROM t WHERE a = $2 AND b = $1 AND c = $2", dialect);
    EXPECT_EQ(turned->sql, "SELECT a FROM t WHERE a = ? AND b = ? AND c = ?");
    EXPECT_THAT(texts(*turned), ElementsAre("2", "1", "2"));
    EXPECT_THAT(texts(*bind("SELECT $1", dialect)), ElementsAre("1", "2"));
  }
}

TEST(SqlFeeds, WithoutValuesAreAnEmptyList) {
  const auto in = bind_sql_feeds("SELECT 1 FROM t WHERE NOT (a IN (@results_0.x))", {},
                                 SqlDialect::Sqlite, values({}));
  EXPECT_EQ(in->sql, "SELECT 1 FROM t WHERE NOT (a IN (NULL) IS NOT NULL)");
  EXPECT_EQ(in->notes.size(), 1U);
  const auto not_in = bind_sql_feeds("SELECT 1 FROM t WHERE a NOT IN (@results_0.x)", {},
                                     SqlDialect::Sqlite, values({}));
  EXPECT_EQ(not_in->sql, "SELECT 1 FROM t WHERE a NOT IN (NULL) IS NULL");
  const auto more = bind_sql_feeds("SELECT 1 FROM t WHERE a IN (1, @results_0.x)", {},
                                   SqlDialect::Sqlite, values({}));
  EXPECT_EQ(more->sql, "SELECT 1 FROM t WHERE a IN (1, NULL)");
}

TEST(SqlFeeds, StandInListsOfInAlone) {
  for (const char* sql : {"SELECT @results_0.x", "SELECT * FROM t WHERE a = @results_0.x",
                          "SELECT * FROM t WHERE a IN (SELECT @results_0.x)",
                          "SELECT * FROM t WHERE a IN (@results_0.x", "IN @results_0.x"}) {
    const auto bound = bind_sql_feeds(sql, {}, SqlDialect::Sqlite, values({text("v")}));
    ASSERT_FALSE(bound.has_value()) << sql;
    EXPECT_EQ(bound.error().code, ErrorCode::InvalidInput);
    EXPECT_TRUE(bound.error().position.has_value());
  }
  const auto quoted = bind_sql_feeds("SELECT '@results_0.x' -- IN (@results_0.x)", {},
                                     SqlDialect::Sqlite, values({}));
  EXPECT_EQ(quoted->sql, "SELECT '@results_0.x' -- IN (@results_0.x)");
}

TEST(SqlFeeds, AreBounded) {
  const std::vector<rdf::Term> many(kFedValuesMax + 1, text("v"));
  const auto bound =
      bind_sql_feeds("SELECT 1 WHERE 1 IN (@results_0.x)", {}, SqlDialect::Sqlite, values(many));
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, ErrorCode::LimitExceeded);
}

TEST(SqlFeeds, KeepPlacesOfTheCallersText) {
  const std::string sql = "SELECT a\nFROM t WHERE a IN (@results_0.x) AND nmae = 1";
  const auto bound = bind_sql_feeds(sql, {}, SqlDialect::Sqlite,
                                    values({text("v"), text("w"), text("x"), text("y"), text("z"),
                                            text("0"), text("1"), text("2")}));
  const auto place = [](std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    return TextPosition{2, at - text.find('\n')};
  };
  EXPECT_EQ(bound->place_in(sql, place(bound->sql, "nmae")).column, place(sql, "nmae").column);
  EXPECT_EQ(bound->place_in(sql, place(bound->sql, "t WHERE")).column,
            place(sql, "t WHERE").column);
  EXPECT_EQ(bound->place_in(sql, place(bound->sql, "?, ?) AND")).column, place(sql, "@").column);
  EXPECT_EQ(bound->place_in(sql, {1, 8}).line, 1U);
}

TEST(SqlParameters, KeepTheirDigits) {
  const auto read = read_parameters(*parse_json(R"([null, true, 7, 0.10, 1e3, "a",
      123456789012345678901234567890, 1.000000000000000000001])"));
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE((*read)[0].has_value());
  EXPECT_EQ((*read)[1]->datatype, rdf::kXsdBoolean);
  EXPECT_EQ((*read)[2]->datatype, rdf::kXsdInteger);
  EXPECT_EQ((*read)[3]->datatype, rdf::kXsdDecimal);
  EXPECT_EQ((*read)[5]->datatype, "");
  EXPECT_EQ((*read)[6]->value, "123456789012345678901234567890");
  EXPECT_EQ((*read)[6]->datatype, rdf::kXsdInteger);
  EXPECT_EQ((*read)[7]->value, "1.000000000000000000001");
  EXPECT_EQ(read_parameters(JsonValue(JsonValue::Object{}))->size(), 0U);
  EXPECT_EQ(read_parameters(JsonValue("[1, 2]"))->size(), 2U);
  EXPECT_EQ(read_parameters(JsonValue(7))->size(), 1U);
  EXPECT_FALSE(read_parameters(*parse_json("[[1]]")).has_value());
  EXPECT_FALSE(read_parameters(*parse_json(R"({"a":1})")).has_value());
}

TEST(SqlParameters, OfTermsAreNumbersOrTexts) {
  EXPECT_EQ(as_parameter(rdf::TermView::iri("http://a/b")).value, "http://a/b");
  EXPECT_TRUE(as_parameter(rdf::TermView::iri("http://a/b")).view().is_literal());
  EXPECT_EQ(
      as_parameter(rdf::TermView::literal("5", "http://www.w3.org/2001/XMLSchema#int")).datatype,
      rdf::kXsdInteger);
  EXPECT_EQ(as_parameter(rdf::TermView::lang_literal("a", "en")).language, "");
}

}  // namespace
}  // namespace helve::toolkit
