#include "sources/sql_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(std::string_view sql, SqlDialect dialect) {
  const auto tokens = read_sql_tokens(sql, dialect);
  if (!tokens) return {"error: " + tokens.error().message};
  std::vector<std::string> found;
  for (const SqlToken& token : *tokens) found.emplace_back(token.text);
  return found;
}

std::vector<SqlTokenKind> kinds(std::string_view sql, SqlDialect dialect) {
  std::vector<SqlTokenKind> found;
  const auto tokens = read_sql_tokens(sql, dialect);
  if (!tokens) return found;
  for (const SqlToken& token : *tokens) found.push_back(token.kind);
  return found;
}

constexpr SqlDialect kLite = SqlDialect::Sqlite;
constexpr SqlDialect kPg = SqlDialect::PostgreSql;
constexpr SqlDialect kMy = SqlDialect::MySql;

TEST(SqlTokens, KnowTheNullOfMySql) {
  EXPECT_THAT(texts(R"(SELECT \NINTO @a, a<>\N'b')", kMy),
              ElementsAre("SELECT", R"(\N)", "INTO", "@a", ",", "a", "<>", R"(\N)", "'b'"));
  EXPECT_THAT(kinds(R"(\N)", kMy), ElementsAre(SqlTokenKind::Word));
  for (const std::string_view sql : {"a\n \\n", "a\n \\", "a\n \\'x'"}) {
    const auto tokens = read_sql_tokens(sql, kMy);
    ASSERT_FALSE(tokens.has_value()) << sql;
    EXPECT_EQ(tokens.error().code, ErrorCode::InvalidInput);
    EXPECT_EQ(tokens.error().position, (TextPosition{2, 2}));
  }
}

TEST(SqlTokens, KnowWhereTextsEnd) {
  EXPECT_THAT(texts("SELECT 'it''s; --' x", kLite), ElementsAre("SELECT", "'it''s; --'", "x"));
  EXPECT_THAT(texts(R"(SELECT 'a\' ; DROP)", kPg), ElementsAre("SELECT", R"('a\')", ";", "DROP"));
  EXPECT_THAT(texts(R"(SELECT 'a\' ; DROP')", kMy), ElementsAre("SELECT", R"('a\' ; DROP')"));
  EXPECT_THAT(texts(R"(SELECT E'a\'; b')", kPg), ElementsAre("SELECT", R"(E'a\'; b')"));
  EXPECT_THAT(texts("SELECT $$;DROP$$, $a$ $$ $a$, $1", kPg),
              ElementsAre("SELECT", "$$;DROP$$", ",", "$a$ $$ $a$", ",", "$1"));
  EXPECT_THAT(texts("U&\"pg_\\0072\"(U&'x')", kPg),
              ElementsAre("U&\"pg_\\0072\"", "(", "U&'x'", ")"));
  EXPECT_THAT(texts("[a;b] `c;d` \"e;f\"", kLite), ElementsAre("[a;b]", "`c;d`", "\"e;f\""));
  EXPECT_THAT(kinds("\"a\" 'b' `c`", kMy),
              ElementsAre(SqlTokenKind::Text, SqlTokenKind::Text, SqlTokenKind::Name));
  EXPECT_THAT(kinds("\"a\" 'b'", kPg), ElementsAre(SqlTokenKind::Name, SqlTokenKind::Text));
}

TEST(SqlTokens, LeaveCommentsOut) {
  EXPECT_THAT(texts("/* /* ; */ DROP", kMy), ElementsAre("DROP"));
  EXPECT_THAT(texts("/* /* ; */ x */ DROP", kPg), ElementsAre("DROP"));
  EXPECT_THAT(texts("a -- ; b\nc", kPg), ElementsAre("a", "c"));
  EXPECT_THAT(texts("a -- ; b\rc", kPg), ElementsAre("a", "c"));
  EXPECT_THAT(texts("a -- ; b\rc", kLite), ElementsAre("a"));
  EXPECT_THAT(texts("5--1 # x\n-- y", kMy), ElementsAre("5", "-", "-", "1"));
  EXPECT_THAT(texts("SELECT 1 --\n;DROP", kMy), ElementsAre("SELECT", "1", ";", "DROP"));
  EXPECT_THAT(texts("a /*/ b */ c", kPg), ElementsAre("a", "c"));
}

TEST(SqlTokens, RefuseWhatReadsInTwoWays) {
  EXPECT_THAT(texts("/*!50000 DELETE FROM t*/", kMy)[0], HasSubstr("executes"));
  EXPECT_THAT(texts("/*M!100000 DELETE FROM t*/", kMy)[0], HasSubstr("executes"));
  EXPECT_THAT(texts(std::string_view("SELECT 1\0;DROP", 14), kPg)[0], HasSubstr("U+0000"));
  EXPECT_THAT(texts("SELECT\xC2\xA0"
                    "1",
                    kPg)[0],
              HasSubstr("U+00A0"));
  EXPECT_THAT(texts("SELECT\xE2\x80\x8B 1", kLite)[0], HasSubstr("U+200B"));
  EXPECT_THAT(texts("\xE2\x80\xAESELECT 1", kMy)[0], HasSubstr("U+202E"));
  EXPECT_THAT(texts("SELECT '\xE2\x80\xAE'", kMy)[0], HasSubstr("U+202E"));
  EXPECT_THAT(texts("SELECT '\xC2\xA0'", kMy), ElementsAre("SELECT", "'\xC2\xA0'"));
  EXPECT_THAT(texts("SELECT \xFF", kMy)[0], HasSubstr("UTF-8"));
  EXPECT_THAT(texts("SELECT 'a", kPg)[0], HasSubstr("without its end"));
  EXPECT_THAT(texts("SELECT /* a", kLite)[0], HasSubstr("no end"));
  EXPECT_THAT(texts("SELECT $x$ a $y$", kPg)[0], HasSubstr("no end"));
  const auto far = read_sql_tokens("SELECT 1,\n  'a", kPg);
  EXPECT_EQ(far.error().position, (TextPosition{2, 3}));
}

TEST(SqlTokens, FindNumbersNamesAndParameters) {
  EXPECT_THAT(texts("1.load_file(2)", kMy), ElementsAre("1.", "load_file", "(", "2", ")"));
  EXPECT_THAT(texts("1e5 1.5E-3 0xFf .5 2abc", kMy),
              ElementsAre("1e5", "1.5E-3", "0xFf", ".5", "2abc"));
  EXPECT_THAT(kinds("? ?1 :a $b @c", kLite), ::testing::Each(SqlTokenKind::Parameter));
  EXPECT_THAT(kinds("a ? b", kPg),
              ElementsAre(SqlTokenKind::Word, SqlTokenKind::Symbol, SqlTokenKind::Word));
  EXPECT_THAT(texts("a::int[1:2]", kPg), ElementsAre("a", "::", "int", "[", "1", ":", "2", "]"));
  EXPECT_THAT(kinds("@results_0.protein", kPg), ElementsAre(SqlTokenKind::Feed));
  EXPECT_THAT(kinds("@results_0.protein", kMy), ElementsAre(SqlTokenKind::Feed));
  EXPECT_THAT(kinds("@x @@y @`z`", kMy), ::testing::Each(SqlTokenKind::Variable));
  EXPECT_THAT(texts("@x:=1", kMy), ElementsAre("@x", ":=", "1"));
}

TEST(SqlTokens, TakeTheMarksOff) {
  const auto value = [](std::string_view sql, SqlDialect dialect) {
    const auto tokens = read_sql_tokens(sql, dialect);
    return tokens && !tokens->empty() ? value_of(tokens->front(), dialect) : "no token";
  };
  EXPECT_EQ(value("'it''s'", kPg), "it's");
  EXPECT_EQ(value("\"a\"\"b\"", kPg), "a\"b");
  EXPECT_EQ(value("Customer", kPg), "customer");
  EXPECT_EQ(value("Customer", kMy), "Customer");
  EXPECT_EQ(value("[a b]", kLite), "a b");
  EXPECT_EQ(value("$t$a$t$", kPg), "a");
  EXPECT_EQ(value("$$a$$", kPg), "a");
  EXPECT_EQ(value(R"('a\'b')", kMy), "a'b");
}

}  // namespace
}  // namespace helve
