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

// Lines and what they are read as.
using Readings = std::vector<std::pair<const char*, const char*>>;
void expect_readings(const ExploreScope& scope, const Readings& readings) {
  for (const auto& [line, expected] : readings) EXPECT_EQ(read(line, scope), expected) << line;
}

TEST(ExploreLine, SqlGoesToTheDatabase) {
  const Readings of_any_database = {
      {"SELECT * FROM artist LIMIT 2;", "query_execute sql=SELECT * FROM artist LIMIT 2;"},
      {"with a as (select 1) select * from a",
       "query_execute sql=with a as (select 1) select * from a"},
      {"select '{' from t", "query_execute sql=select '{' from t"},
      {"EXPLAIN QUERY PLAN SELECT 1", "explain_plan sql=SELECT 1"},
      {"explain select 1", "explain_plan sql=select 1"},
      {"SELECT max(n) FROM results_0", "result_sql sql=SELECT max(n) FROM results_0"},
      {"SELECT 1 WHERE 1 IN (@results_0.n)",
       "query_execute sql=SELECT 1 WHERE 1 IN (@results_0.n)"},
      {"SELECT ?s { ?s ?p ?o }", "sparql_query query=SELECT ?s { ?s ?p ?o }"},
      {"tables", "schema_inspect "},
      {"tables artist", "schema_inspect action=describe_table | table=artist"}};
  expect_readings(kDatabase, of_any_database);
  expect_readings(kBoth, of_any_database);
  expect_readings(kGraph,
                  {{"SELECT a FROM results_3", "result_sql sql=SELECT a FROM results_3"},
                   {"select name from artist", "sparql_query query=select name from artist"},
                   {"tables", "sparql_find pattern=tables"}});
  expect_readings(kBoth, {{"with wings", "sparql_find pattern=with wings"},
                          {"show jumping", "sparql_find pattern=show jumping"}});
  expect_readings(kDatabase, {{"show status", "query_execute sql=show status"},
                              {"show tables", "schema_inspect "}});
}

TEST(ExploreLine, ShortNamesAreThoseOfTheSourceThatIsAsked) {
  expect_readings(
      kDatabase,
      {{"schema", "schema_inspect "},
       {"schema artist limit=3", "schema_inspect limit=3 | action=describe_table | table=artist"},
       {"describe artist", "schema_inspect action=describe_table | table=artist | detail=full"},
       {"find e mail", "schema_inspect action=search | pattern=e mail"},
       {"e mail", "schema_inspect action=search | pattern=e mail"},
       {"query 'SELECT 1' limit=2", "query_execute SELECT 1 | limit=2"},
       {"slice results_0", "sparql_slice results_0"},
       {"sparql_find x", "sparql_find x"}});
  expect_readings(
      kBoth, {{"schema", "sparql_schema "}, {"schema source=shop", "schema_inspect source=shop"}});
  ExploreScope chosen = kBoth;
  chosen.chosen = "shop";
  expect_readings(
      chosen, {{"schema", "schema_inspect "}, {"schema source=zoo", "sparql_schema source=zoo"}});
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
