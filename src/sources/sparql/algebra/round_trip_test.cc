// What the printer prints, the parser reads back as the same value; and printed again it is the
// same text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/random_algebra_testing.h"
#include "sources/sparql/algebra/round_trip_cases.h"
#include "tests/support/example_queries.h"
#include "tests/support/test_data.h"

namespace helve::sparql {
namespace {

namespace fs = std::filesystem;

// Everything the printed text needs stands in it.
ParseOptions strict() {
  ParseOptions options;
  options.is_strict = true;
  return options;
}

void expect_same(const Query& query, std::string_view source) {
  const std::string text = to_sparql(query);
  const auto again = parse_query(text, strict());
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << text << "\nfrom:\n" << source;
  EXPECT_TRUE(again->query == query) << text << "\nfrom:\n" << source << "\n" << to_tree(query);
  EXPECT_EQ(to_sparql(again->query), text);
}

void expect_same(const Update& update, std::string_view source) {
  const std::string text = to_sparql(update);
  const auto again = parse_update(text, strict());
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << text << "\nfrom:\n" << source;
  EXPECT_TRUE(again->update == update) << text << "\nfrom:\n" << source;
  EXPECT_EQ(to_sparql(again->update), text);
}

class RoundTrip : public ::testing::TestWithParam<std::span<const std::string_view>> {};

TEST_P(RoundTrip, GivesTheSameQuery) {
  for (const std::string_view body : GetParam()) {
    const std::string text = std::string(test::kCasePrologue) + std::string(body);
    const auto parsed = parse_query(text, strict());
    ASSERT_TRUE(parsed) << parsed.error().to_string() << "\n" << text;
    expect_same(parsed->query, text);
  }
}

INSTANTIATE_TEST_SUITE_P(OwnQueries, RoundTrip,
                         ::testing::Values(std::span(test::kTripleCases),
                                           std::span(test::kPathCases),
                                           std::span(test::kGroupCases),
                                           std::span(test::kExpressionCases),
                                           std::span(test::kQueryCases)));

TEST(RoundTrip, GivesTheSameUpdate) {
  for (const std::string_view body : test::kUpdateCases) {
    const std::string text = std::string(test::kCasePrologue) + std::string(body);
    const auto parsed = parse_update(text, strict());
    ASSERT_TRUE(parsed) << parsed.error().to_string() << "\n" << text;
    expect_same(parsed->update, text);
  }
}

TEST(RoundTrip, HoldsForRandomQueries) {
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    const Query query = test::RandomAlgebra(seed).query();
    expect_same(query, "seed " + std::to_string(seed));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RoundTrip, HoldsForUndeclaredPrefixesAndForeignBases) {
  ParseOptions options;
  options.base_iri = "http://base.example/dir/";
  options.known_prefixes = {{"mine", "http://mine.example/"}};
  const std::string_view text = "SELECT * { <a> a foaf:Person ; mine:p ?x BIND(IRI(\"b\") AS ?y) }";
  const auto parsed = parse_query(text, options);
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  expect_same(parsed->query, text);
}

// At the deepest nesting that is read, nothing that is printed is deeper.
TEST(RoundTrip, NestsNoDeeperThanTheSource) {
  const auto nested = [](std::string_view open, std::string_view middle, std::string_view close) {
    std::string text;
    for (std::size_t depth = 200; depth > 0; --depth) {
      text = "ASK { ";
      for (std::size_t i = 0; i < depth; ++i) text += open;
      text += middle;
      for (std::size_t i = 0; i < depth; ++i) text += close;
      text += " }";
      if (const auto parsed = parse_query(text)) {
        EXPECT_LT(depth, 200U) << "nesting is not limited";
        return expect_same(parsed->query, text);
      }
    }
    ADD_FAILURE() << text;
  };
  nested("{ ?a ?b ?c FILTER(?a) ", "", "}");
  nested("OPTIONAL { ?a ?b ?c FILTER(?a) ", "", "}");
  nested("OPTIONAL { { ", "?a ?b ?c FILTER(?a)", "} }");
  nested("{ ?a ?b ?c } UNION { ", "?a ?b ?c", "} ?d ?e ?f");
  nested("{ SELECT * { ", "?a ?b ?c", "} }");
  nested("MINUS { GRAPH ?g { ", "?a ?b ?c", "} }");
  nested("FILTER EXISTS { ", "?a ?b ?c", "}");
  nested("FILTER str(EXISTS { ", "?a ?b ?c", "})");
}

TEST(RoundTrip, NestsExpressionsAndPathsNoDeeperThanTheSource) {
  const auto nested = [](std::string_view before, std::string_view open, std::string_view middle,
                         std::string_view close, std::string_view after) {
    for (std::size_t depth = 200; depth > 0; --depth) {
      std::string text(before);
      for (std::size_t i = 0; i < depth; ++i) text += open;
      text += middle;
      for (std::size_t i = 0; i < depth; ++i) text += close;
      text += after;
      if (const auto parsed = parse_query(text)) return expect_same(parsed->query, text);
    }
    ADD_FAILURE() << before << open << middle << close << after;
  };
  nested("ASK { FILTER(", "(1 - ", "1", ")", ") }");
  nested("ASK { FILTER(", "-(", "- 1", ")", ") }");
  nested("ASK { FILTER(", "!", "?a", "", ") }");
  nested("ASK { FILTER(", "- ", "1", "", ") }");
  nested("ASK { FILTER(", "!(?a = ", "?a", ")", ") }");
  nested("ASK { FILTER ", "str(", "?a", ")", " }");
  nested("ASK { FILTER", "<http://f>(", "?a", ")", " }");
  nested("ASK { FILTER", "(?a && ", "?a", ")", " }");
  nested("ASK { ?x ", "(<http://a>/", "<http://b>", ")*", " ?y }");
  nested("ASK { ?x ", "^(<http://a>|", "!(<http://b>)", ")", " ?y }");
  nested("SELECT * {} ORDER BY ", "str(", "?a", ")", "");
  nested("ASK {} GROUP BY ", "str(", "?a", ")", "");
}

std::string content_of(const fs::path& file) {
  std::stringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

TEST(RoundTrip, HoldsForTheExamplesOfOthers) {
  HELVE_SHARED_PATH(folder, "data/sib-examples/examples");
  std::size_t queries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".ttl") continue;
    ExampleQueries examples;
    const auto report = rdf::read_document(rdf::Format::Turtle, content_of(entry.path()), {},
                                           OpContext(), examples);
    ASSERT_TRUE(report) << entry.path() << report.error().to_string();
    for (const std::string& text : examples.texts) {
      ++queries;
      const auto parsed = parse_query(text);
      EXPECT_TRUE(parsed) << entry.path() << "\n" << parsed.error().to_string() << "\n" << text;
      if (parsed) expect_same(parsed->query, text);
    }
  }
  EXPECT_EQ(queries, 1'227U);
}

TEST(RoundTrip, HoldsForTheConformanceSuites) {
  HELVE_SHARED_PATH(folder, "data/w3c/sparql");
  ParseOptions options;
  options.base_iri = "http://base.example/";
  std::size_t queries = 0;
  std::size_t updates = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string text = entry.is_regular_file() ? content_of(entry.path()) : "";
    // What does not parse is the matter of the suites' own runner.
    if (entry.path().extension() == ".rq") {
      if (const auto parsed = parse_query(text, options)) {
        ++queries;
        expect_same(parsed->query, text);
      }
    } else if (entry.path().extension() == ".ru") {
      if (const auto parsed = parse_update(text, options)) {
        ++updates;
        expect_same(parsed->update, text);
      }
    }
  }
  EXPECT_GT(queries, 700U);
  EXPECT_GT(updates, 100U);
}

}  // namespace
}  // namespace helve::sparql
