#include "toolkit/tools/query_feed.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::toolkit {
namespace {

Result<std::string> fed(std::string_view text) {
  const FedText taken = take_feeds(text);
  EXPECT_EQ(taken.text.size(), text.size());
  HELVE_ASSIGN(auto parsed, sparql::parse_query(taken.text));
  HELVE_TRY(bind_feeds(parsed.query, taken.feeds, [](const Feed& feed) {
    return Result<std::vector<rdf::Term>>(
        std::vector<rdf::Term>{rdf::Term(rdf::TermView::iri("http://e/" + feed.key)),
                               rdf::Term(rdf::TermView::literal(feed.column))});
  }));
  return to_sparql(parsed.query);
}

TEST(QueryFeed, PutsTheTermsOfAColumnIntoValues) {
  const auto query = fed("SELECT * { VALUES ?x { @results_0.taxon <http://e/b> } ?x ?p ?o }");
  ASSERT_TRUE(query.has_value()) << query.error().to_string();
  EXPECT_NE(query->find("<http://e/results_0>"), std::string::npos) << *query;
  EXPECT_NE(query->find("\"taxon\""), std::string::npos) << *query;
  EXPECT_NE(query->find("<http://e/b>"), std::string::npos) << *query;
}

TEST(QueryFeed, WorksInSubQueriesExistsAndAtTheEnd) {
  for (const char* text : {
           "SELECT * { { SELECT ?x { VALUES ?x { @results_0.a } } } }",
           "SELECT * { ?s ?p ?x FILTER EXISTS { VALUES ?x { @results_0.a } } }",
           "SELECT * { ?x ?p ?o } VALUES ?x { @results_0.a }",
           "CONSTRUCT { ?x ?p ?o } WHERE { VALUES ?x { @results_0.a } ?x ?p ?o }",
       }) {
    const auto query = fed(text);
    ASSERT_TRUE(query.has_value()) << text << query.error().to_string();
    EXPECT_NE(query->find("<http://e/results_0>"), std::string::npos) << *query;
  }
}

TEST(QueryFeed, LeavesStringsTagsIrisAndCommentsAlone) {
  const std::string text =
      "SELECT * { ?s ?p \"@results_0.a\" ; <http://e/@results_0.a> '''@results_0.a''' ; ?q "
      "\"x\"@en.\n# @results_0.a\n}";
  const FedText taken = take_feeds(text);
  EXPECT_EQ(taken.text, text);
  EXPECT_TRUE(taken.feeds.empty());
}

TEST(QueryFeed, RefusesOtherPlaces) {
  EXPECT_FALSE(fed("SELECT * { ?s ?p @results_0.a }").has_value());
  EXPECT_FALSE(fed("SELECT * { VALUES (?x ?y) { (@results_0.a 1) } ?x ?p ?o }").has_value());
  EXPECT_FALSE(fed("SELECT * { ?s ?p ?o FILTER(?o IN (@results_0.a)) }").has_value());
}

}  // namespace
}  // namespace helve::toolkit
