#include "surfaces/cli/explore_line.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

const std::vector<std::string> kTools = {"sparql_peek", "sparql_find", "sparql_query", "result_sql",
                                         "g_load"};

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
    const auto read = read_explore_line(line, kTools);
    ASSERT_TRUE(read.has_value()) << line;
    EXPECT_EQ(read->tool, tool) << line;
  }
}

TEST(ExploreLine, KnowsItsOwnWords) {
  EXPECT_TRUE(read_explore_line(" help ", kTools)->is_help);
  EXPECT_TRUE(read_explore_line("quit", kTools)->is_end);
  EXPECT_TRUE(read_explore_line("  # a comment", kTools)->tool.empty());
  EXPECT_EQ(read_explore_line("dwarf planet", kTools)->words,
            (std::vector<std::string>{"pattern=dwarf planet"}));
}

}  // namespace
}  // namespace helve::cli
