// Hostile and huge queries: refused by the limit that they break, and soon.
#include <gtest/gtest.h>

#include <string>

#include "sources/sparql/algebra/parser.h"

namespace helve::sparql {
namespace {

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

// "" for a good query.
std::string outcome(const std::string& text, const ParseOptions& options = {}) {
  const auto parsed = parse_query(text, options);
  if (parsed) return {};
  return std::string(error_code_name(parsed.error().code)) + ": " + parsed.error().message;
}

constexpr std::string_view kNesting =
    "limit_exceeded: brackets and signs are nested more than 100 deep";
constexpr std::string_view kDepth =
    "limit_exceeded: the query is built more than 1,000 levels deep";

TEST(ParserLimits, Nesting) {
  const std::size_t many = 100'000;
  EXPECT_EQ(outcome("ASK " + repeated("{", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER" + repeated("(", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER(" + repeated("!", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER(" + repeated("- ", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER(" + repeated("STR(", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER(" + repeated("<http://f>(", many)), kNesting);
  EXPECT_EQ(outcome("ASK { ?s ?p " + repeated("[ ?p ", many)), kNesting);
  EXPECT_EQ(outcome("ASK { ?s ?p " + repeated("( ", many)), kNesting);
  EXPECT_EQ(outcome("ASK { ?s " + repeated("(", many)), kNesting);
  EXPECT_EQ(outcome("ASK " + repeated("{ ?s ?p ?o OPTIONAL ", many)), kNesting);
  EXPECT_EQ(outcome("ASK " + repeated("{ SELECT * ", many)), kNesting);
  EXPECT_EQ(outcome("ASK " + repeated("{ FILTER EXISTS ", many)), kNesting);
  EXPECT_EQ(outcome("ASK { FILTER(?x IN " + repeated("(1 IN ", many)), kNesting);
  EXPECT_EQ(outcome("ASK " + repeated("{", 99) + repeated("}", 99)), "");
}

TEST(ParserLimits, DepthOfTheAlgebra) {
  EXPECT_EQ(outcome("ASK { FILTER(1" + repeated(" + 1", 1'500) + ") }"), kDepth);
  EXPECT_EQ(outcome("ASK { FILTER(1" + repeated(" * 1", 1'500) + ") }"), kDepth);
  EXPECT_EQ(outcome("ASK {" + repeated(" OPTIONAL { ?s ?p ?o }", 1'500) + "}"), kDepth);
  EXPECT_EQ(outcome("ASK {" + repeated(" MINUS { ?s ?p ?o }", 1'500) + "}"), kDepth);
  // Neither nesting nor any one chain is too long.
  std::string mixed = repeated("(", 20) + "1";
  for (int i = 0; i < 20; ++i) mixed += repeated(" + 1", 80) + ")";
  EXPECT_EQ(outcome("ASK { FILTER" + mixed + " }"), kDepth);
  EXPECT_EQ(outcome("ASK { FILTER(true" + repeated(" || true", 4'000) + ") }"), "");
  EXPECT_EQ(outcome("ASK {" + repeated(" { ?s ?p ?o }", 4'000) + "}"), "");
}

TEST(ParserLimits, Parts) {
  const std::string words =
      "limit_exceeded: the query has more than 10,000 triples, patterns and expressions";
  EXPECT_EQ(outcome("ASK {" + repeated("?s ?p ?o . ", 10'001) + "}"), words);
  EXPECT_EQ(outcome("ASK { FILTER(true" + repeated(" || true", 10'001) + ") }"), words);
  EXPECT_EQ(outcome("ASK { ?s <http://p>" + repeated("/<http://p>", 10'001) + " ?o }"), words);
  // A path is copied for every object.
  EXPECT_EQ(outcome("ASK { ?s <http://p>" + repeated("/<http://p>", 200) + " 1" +
                    repeated(", 1", 200) + " }"),
            words);
}

// Statements are no parts of a query: the text bounds them.
TEST(ParserLimits, UpdatesHaveMoreData) {
  const std::string many = "{" + repeated("<a:s> <a:p> 1 . ", 50'000) + "}";
  EXPECT_TRUE(parse_update("INSERT DATA " + many));
  EXPECT_TRUE(parse_update("DELETE DATA " + many));
  EXPECT_FALSE(parse_update("INSERT " + many + " WHERE {}"));
  ParseOptions options;
  options.limits.query_bytes_max = 10;
  EXPECT_TRUE(parse_update("CREATE GRAPH <urn:example:a-long-name>", options));
  const auto longer = parse_update("CREATE GRAPH <urn:example:a-name-too-long>", options);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::LimitExceeded);
}

TEST(ParserLimits, BranchesValuesPrefixesAndBytes) {
  EXPECT_EQ(outcome("ASK { {}" + repeated(" UNION {}", 1'000) + " }"),
            "limit_exceeded: a UNION has more than 1,000 branches");
  EXPECT_EQ(outcome("ASK { {}" + repeated(" UNION {}", 999) + " }"), "");
  EXPECT_EQ(outcome("ASK { VALUES ?x {" + repeated(" 1", 10'001) + " } }"),
            "limit_exceeded: VALUES has more than 10,000 rows");
  EXPECT_EQ(outcome("ASK { VALUES ?x {" + repeated(" 1", 10'000) + " } }"), "");
  std::string prefixes;
  for (int i = 0; i <= 1'000; ++i) prefixes += "PREFIX p" + std::to_string(i) + ": <http://p> ";
  EXPECT_EQ(outcome(prefixes + "ASK {}"),
            "limit_exceeded: the query declares more than 1000 prefixes");
  ParseOptions options;
  options.limits.query_bytes_max = 10;
  EXPECT_EQ(outcome("ASK { } # long", options),
            "limit_exceeded: the text is longer than 10 B, which is the limit");
}

// A long prefix or subject must not be written out ten thousand times.
TEST(ParserLimits, GrowthByPrefixesAndSubjects) {
  const std::string words =
      "limit_exceeded: the IRIs and names of this query take more than 64 MiB when written out";
  const std::string iri = "http://" + std::string(1'000'000, 'a');
  EXPECT_EQ(outcome("PREFIX p: <" + iri + "> ASK { VALUES ?x {" + repeated(" p:a", 9'000) + " } }"),
            words);
  EXPECT_EQ(outcome("BASE <" + iri + "/> ASK { VALUES ?x {" + repeated(" <a>", 9'000) + " } }"),
            words);
  EXPECT_EQ(outcome("ASK { <" + iri + "> ?p 1" + repeated(",1", 9'000) + " }"), words);
  EXPECT_EQ(
      outcome("ASK { ?" + std::string(1'000'000, 'a') + " ?p 1" + repeated(",1", 9'000) + " }"),
      words);
}

}  // namespace
}  // namespace helve::sparql
