#include "surfaces/mcp/offer/resources.h"

#include "surfaces/mcp/offer/offer_testing.h"

namespace helve::mcp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ResourcesTest : public OfferTest {
 protected:
  struct Read {
    std::string mime;
    std::string text;
    std::int64_t ttl_ms = -1;
  };
  Read read(const std::string& uri) {
    const JsonValue result = result_of(offer_->read_resource(uri, turn_));
    if (result.find("contents") == nullptr) return {};
    const auto& contents = *result.find("contents")->if_array();
    EXPECT_EQ(contents.size(), 1U);
    EXPECT_EQ(text_of(contents[0], "uri"), uri);
    EXPECT_EQ(text_of(result, "cacheScope"), "private");
    return {text_of(contents[0], "mimeType"), text_of(contents[0], "text"),
            result.find("ttlMs")->to_int64().value_or(-1)};
  }
};

TEST_F(ResourcesTest, AreListedWithTheHandlesOfTheCaller) {
  EXPECT_THAT(names(ListKind::Resources, "uri"),
              ElementsAre("helve://sources", "helve://tools", "helve://schema/planets",
                          "helve://schema/Other-planes"));
  for (int i = 0; i < 60; ++i) {
    call("sparql_query",
         R"({"query":"SELECT ?x { ?x a ex:Moon } LIMIT )" + std::to_string(i) + "\"}");
  }
  const auto listed = names(ListKind::Resources, "uri");
  EXPECT_EQ(listed.size(), 54U);
  EXPECT_EQ(listed[4], "helve://results/results_59");  // the latest first
  turn_.set_caller({"somebody else", "1", std::make_shared<const toolkit::Policy>()});
  EXPECT_EQ(names(ListKind::Resources, "uri").size(), 4U);
}

TEST_F(ResourcesTest, EntriesAreWhole) {
  call("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Moon }"})");
  for (const Revision revision : kRevisions) {
    turn_.set_revision(revision);
    for (const JsonValue& entry : list(ListKind::Resources)) {
      for (const char* key : {"uri", "name", "description", "mimeType"}) {
        EXPECT_NE(text_of(entry, key), "") << key;
      }
      EXPECT_EQ(entry.find("title") != nullptr, revision != kRevisions.back());
    }
    EXPECT_THAT(names(ListKind::ResourceTemplates, "uriTemplate"),
                ElementsAre("helve://schema/{source}", "helve://results/{key}{?offset,limit}"));
  }
}

TEST_F(ResourcesTest, SourcesTellTheirSize) {
  const Read sources = read("helve://sources");
  EXPECT_EQ(sources.mime, "application/json");
  const JsonValue json = parsed(sources.text);
  const auto& list = *json.find("sources")->if_array();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(text_of(list[0], "name"), "planets");
  EXPECT_EQ(text_of(list[0], "kind"), "graph");
  EXPECT_GT(*list[0].find("triples")->to_int64(), 20);
  EXPECT_EQ(text_of(list[1], "schema"), "helve://schema/Other-planes");
  // Without the tool there is still the name.
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  const std::string fewer = read("helve://sources").text;
  EXPECT_THAT(fewer, HasSubstr("planets"));
  EXPECT_THAT(fewer, Not(HasSubstr("triples")));
}

TEST_F(ResourcesTest, SchemasAreForReading) {
  const Read schema = read("helve://schema/planets");
  EXPECT_EQ(schema.mime, "text/plain");
  EXPECT_GT(schema.ttl_ms, 0);
  for (const char* word : {"ex:Planet", "ex:radius", "top_classes", "patterns"}) {
    EXPECT_THAT(schema.text, HasSubstr(word));
  }
  EXPECT_LE(schema.text.size(), 10'000U);
  EXPECT_THAT(schema.text, HasSubstr("\n<data "));
  EXPECT_FALSE(offer_->read_resource("helve://schema/nowhere", turn_));
  EXPECT_FALSE(offer_->read_resource("helve://schema/..%2F..%2Fetc", turn_));
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  EXPECT_EQ(error_of(offer_->read_resource("helve://schema/planets", turn_)).code,
            code::kInvalidParams);
}

TEST_F(ResourcesTest, ResultsComeInPages) {
  call("sparql_query", R"({"query":"SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o"})");
  const Read first = read("helve://results/results_0?limit=10");
  EXPECT_EQ(first.mime, "application/json");
  EXPECT_EQ(first.ttl_ms, 0);
  const JsonValue page = parsed(first.text);
  EXPECT_EQ(page.find("returned")->to_int64(), 10);
  EXPECT_EQ(page.find("next_offset")->to_int64(), 10);
  const JsonValue next = parsed(read("helve://results/results_0?offset=10&limit=10").text);
  EXPECT_EQ(next.find("offset")->to_int64(), 10);
  EXPECT_NE(to_json(*next.find("rows")), to_json(*page.find("rows")));
  const JsonValue behind = parsed(read("helve://results/results_0?offset=99999999").text);
  EXPECT_EQ(behind.find("returned")->to_int64(), 0);
  const JsonValue huge =
      parsed(read("helve://results/results_0?offset=18446744073709551615&limit=0").text);
  EXPECT_EQ(huge.find("returned")->to_int64(), 0);
}

TEST_F(ResourcesTest, GraphsAreReadAsText) {
  call("sparql_query", R"({"query":"CONSTRUCT WHERE { ?x a ex:Moon }"})");
  const JsonValue page = parsed(read("helve://results/graph_0?limit=40").text);
  EXPECT_THAT(text_of(page, "text"), HasSubstr("http://example.org/"));
}

TEST_F(ResourcesTest, HandlesOfOthersAreNotThere) {
  call("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Moon }"})");
  EXPECT_TRUE(offer_->has_resource("helve://results/results_0", turn_));
  turn_.set_caller({"somebody else", "1", std::make_shared<const toolkit::Policy>()});
  EXPECT_FALSE(offer_->has_resource("helve://results/results_0", turn_));
  EXPECT_FALSE(offer_->read_resource("helve://results/results_0", turn_));
  EXPECT_FALSE(offer_->read_resource("helve://results/..", turn_));
  EXPECT_FALSE(offer_->read_resource("file:///etc/passwd", turn_));
}

TEST_F(ResourcesTest, WhatCanBeWatched) {
  EXPECT_TRUE(offer_->has_resource("helve://sources", turn_));
  EXPECT_TRUE(offer_->has_resource("helve://tools", turn_));
  EXPECT_TRUE(offer_->has_resource("helve://schema/planets", turn_));
  EXPECT_FALSE(offer_->has_resource("helve://schema/nowhere", turn_));
  EXPECT_FALSE(offer_->has_resource("helve://nowhere", turn_));
}

TEST_F(ResourcesTest, AllToolsAreTold) {
  const Read tools = read("helve://tools");
  EXPECT_EQ(tools.mime, "text/markdown");
  for (const toolkit::Tool& tool : toolkit_->registry().tools()) {
    EXPECT_THAT(tools.text, HasSubstr("\n## " + tool.name + "\n"));
  }
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  const std::string fewer = read("helve://tools").text;
  EXPECT_THAT(fewer, HasSubstr("## sparql_query"));
  EXPECT_THAT(fewer, Not(HasSubstr("## g_load")));
}

}  // namespace
}  // namespace helve::mcp
