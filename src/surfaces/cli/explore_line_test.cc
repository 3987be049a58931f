#include "surfaces/cli/explore_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace helve::cli {
namespace {

const std::vector<std::string> kTools = {"sparql_peek",    "sparql_find",   "sparql_query",
                                         "sparql_schema",  "sparql_slice",  "sparql_describe",
                                         "schema_inspect", "query_execute", "explain_plan",
                                         "result_sql",     "g_load"};
const ExploreScope kGraph = {kTools, {{"zoo", false}}, ""};
const ExploreScope kDatabase = {kTools, {{"shop", true}}, ""};
const ExploreScope kBoth = {kTools, {{"zoo", false}, {"shop", true}}, ""};

// The tool and its words: "sparql_peek ex:A".
std::string read(std::string_view line, const ExploreScope& scope) {
  const auto understood = read_explore_line(line, scope);
  if (!understood) return std::string(error_code_name(understood.error().code));
  return fmt::format("{} {}", understood->tool, fmt::join(understood->words, " | "));
}

TEST(ExploreLine, SplitsWordsAsAShellDoes) {
  const auto words = split_words(R"(a "b c" d='e f' "q\"uote" '')");
  ASSERT_TRUE(words.has_value());
  EXPECT_EQ(*words, (std::vector<std::string>{"a", "b c", "d=e f", "q\"uote", ""}));
  EXPECT_FALSE(split_words("a 'b").has_value());
}

TEST(ExploreLine, TakesToolsByNameAndByShortName) {
  for (const auto& [line, tool] : std::vector<std::pair<std::string, std::string>>{
           {"sparql_peek ex:A", "sparql_peek"},
           {"peek ex:A", "sparql_peek"},
           {"sql 'SELECT 1'", "result_sql"},
           {"g_load a.ttl", "g_load"},
           {"dwarf planet", "sparql_find"},
           {"select ?x { ?x ?p ?o }", "sparql_query"},
           {"PREFIX a: <b> ASK { }", "sparql_query"}}) {
    const auto read = read_explore_line(line, kGraph);
    ASSERT_TRUE(read.has_value()) << line;
    EXPECT_EQ(read->tool, tool) << line;
  }
}

TEST(ExploreLine, KnowsItsOwnWords) {
  EXPECT_TRUE(read_explore_line(" help ", kGraph)->is_help);
  EXPECT_TRUE(read_explore_line("quit", kGraph)->is_end);
  EXPECT_TRUE(read_explore_line("  # a comment", kGraph)->tool.empty());
  EXPECT_EQ(read_explore_line("dwarf planet", kGraph)->words,
            (std::vector<std::string>{"pattern=dwarf planet"}));
}

TEST(ExploreLine, SqlGoesToTheDatabase) {
  for (const ExploreScope& scope : {kDatabase, kBoth}) {
    EXPECT_EQ(read("SELECT * FROM artist LIMIT 2;", scope),
              "query_execute sql=SELECT * FROM artist LIMIT 2;");
    EXPECT_EQ(read("with a as (select 1) select * from a", scope),
              "query_execute sql=with a as (select 1) select * from a");
    EXPECT_EQ(read("select '{' from t", scope), "query_execute sql=select '{' from t");
    EXPECT_EQ(read("EXPLAIN QUERY PLAN SELECT 1", scope), "explain_plan sql=SELECT 1");
    EXPECT_EQ(read("explain select 1", scope), "explain_plan sql=select 1");
    EXPECT_EQ(read("SELECT max(n) FROM results_0", scope),
              "result_sql sql=SELECT max(n) FROM results_0");
    EXPECT_EQ(read("SELECT 1 WHERE 1 IN (@results_0.n)", scope),
              "query_execute sql=SELECT 1 WHERE 1 IN (@results_0.n)");
    EXPECT_EQ(read("SELECT ?s { ?s ?p ?o }", scope), "sparql_query query=SELECT ?s { ?s ?p ?o }");
    EXPECT_EQ(read("tables", scope), "schema_inspect ");
    EXPECT_EQ(read("tables artist", scope), "schema_inspect action=describe_table | table=artist");
  }
  EXPECT_EQ(read("SELECT a FROM results_3", kGraph), "result_sql sql=SELECT a FROM results_3");
  EXPECT_EQ(read("select name from artist", kGraph), "sparql_query query=select name from artist");
  EXPECT_EQ(read("tables", kGraph), "sparql_find pattern=tables");
  EXPECT_EQ(read("with wings", kBoth), "sparql_find pattern=with wings");
  EXPECT_EQ(read("show jumping", kBoth), "sparql_find pattern=show jumping");
  EXPECT_EQ(read("show status", kDatabase), "query_execute sql=show status");
  EXPECT_EQ(read("show tables", kDatabase), "schema_inspect ");
}

TEST(ExploreLine, ShortNamesAreThoseOfTheSourceThatIsAsked) {
  EXPECT_EQ(read("schema", kDatabase), "schema_inspect ");
  EXPECT_EQ(read("schema artist limit=3", kDatabase),
            "schema_inspect limit=3 | action=describe_table | table=artist");
  EXPECT_EQ(read("describe artist", kDatabase),
            "schema_inspect action=describe_table | table=artist | detail=full");
  EXPECT_EQ(read("find e mail", kDatabase), "schema_inspect action=search | pattern=e mail");
  EXPECT_EQ(read("e mail", kDatabase), "schema_inspect action=search | pattern=e mail");
  EXPECT_EQ(read("query 'SELECT 1' limit=2", kDatabase), "query_execute SELECT 1 | limit=2");
  EXPECT_EQ(read("slice results_0", kDatabase), "sparql_slice results_0");
  EXPECT_EQ(read("sparql_find x", kDatabase), "sparql_find x");
  EXPECT_EQ(read("schema", kBoth), "sparql_schema ");
  EXPECT_EQ(read("schema source=shop", kBoth), "schema_inspect source=shop");
  ExploreScope chosen = kBoth;
  chosen.chosen = "shop";
  EXPECT_EQ(read("schema", chosen), "schema_inspect ");
  EXPECT_EQ(read("schema source=zoo", chosen), "sparql_schema source=zoo");
}

TEST(ExploreLine, SourcesAreChosen) {
  EXPECT_EQ(read_explore_line("use shop", kBoth)->use, "shop");
  EXPECT_TRUE(read_explore_line("use", kBoth)->lists_sources);
  EXPECT_TRUE(read_explore_line("sources", kBoth)->lists_sources);
  const auto unknown = read_explore_line("use shpo", kBoth);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::NotFound);
  EXPECT_EQ(unknown.error().hint, "there are: zoo, shop");
}

}  // namespace
}  // namespace helve::cli
