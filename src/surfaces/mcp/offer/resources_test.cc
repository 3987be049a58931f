#include "surfaces/mcp/offer/resources.h"

#include "surfaces/mcp/offer/offer_testing.h"
#include "tests/support/tables/fake_tables.h"

namespace helve::mcp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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
                          "helve://schema/Other-planes", "helve://skills/analyse-a-database",
                          "helve://skills/debug-empty-results", "helve://skills/explore-a-graph",
                          "helve://skills/federate-endpoints", "helve://skills/join-across-sources",
                          "helve://skills/tune-a-query", "helve://skills/write-sparql"));
  for (int i = 0; i < 60; ++i) {
    call("sparql_query",
         R"({"query":"SELECT ?x { ?x a ex:Moon } LIMIT )" + std::to_string(i) + "\"}");
  }
  // Modern lists do not change with what calls do.
  EXPECT_EQ(names(ListKind::Resources, "uri").size(), 11U);
  turn_.set_revision(Revision::R20251125);
  const auto listed = names(ListKind::Resources, "uri");
  EXPECT_EQ(listed.size(), 61U);
  EXPECT_EQ(listed[11], "helve://results/results_59");  // the latest first
  turn_.set_caller({"somebody else", "1", std::make_shared<const toolkit::Policy>()});
  EXPECT_EQ(names(ListKind::Resources, "uri").size(), 11U);
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
                ElementsAre("helve://schema/{source}", "helve://context/{source}",
                            "helve://results/{key}{?offset,limit}", "helve://skills/{name}",
                            "helve://fragments/{name}"));
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
  EXPECT_EQ(error_of(offer_->read_resource("helve://schema/planet", turn_)).message,
            "there is no source named planet; did you mean planets?");
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
  EXPECT_EQ(first.mime, "text/plain");
  EXPECT_EQ(first.ttl_ms, 0);
  EXPECT_THAT(first.text, StartsWith("<data "));
  EXPECT_THAT(first.text, HasSubstr("offset=10"));
  const std::string next = read("helve://results/results_0?offset=10&limit=10").text;
  EXPECT_THAT(next, HasSubstr("offset=20"));
  for (const char* query : {"offset=99999999", "offset=18446744073709551615&limit=0"}) {
    EXPECT_THAT(read(std::string("helve://results/results_0?") + query).text,
                Not(HasSubstr("example")));
  }
}

TEST_F(ResourcesTest, GraphsAreReadAsText) {
  call("sparql_query", R"({"query":"CONSTRUCT WHERE { ?x a ex:Moon }"})");
  const std::string page = read("helve://results/graph_0?limit=40").text;
  EXPECT_THAT(page, HasSubstr("http://example.org/"));
  EXPECT_THAT(page, StartsWith("<data "));
}

TEST_F(ResourcesTest, WordsOfABrokenFileAreMarkedOrLeftOut) {
  SourceInfo info;
  info.name = "bad";
  ASSERT_TRUE(toolkit_->declare_source(info).has_value());
  ASSERT_TRUE(
      toolkit_->fail_source("bad", {ErrorCode::InvalidInput, "found 'OBEY ME'"}).has_value());
  EXPECT_THAT(read("helve://sources").text, Not(HasSubstr("OBEY")));
  const std::string told = error_of(offer_->read_resource("helve://schema/bad", turn_)).message;
  const std::size_t mark = told.find("<data ");
  ASSERT_NE(mark, std::string::npos) << told;
  EXPECT_LT(mark, told.find("OBEY ME"));
  EXPECT_GT(told.find("</data "), told.find("OBEY ME"));
}

TEST_F(ResourcesTest, SourcesTellWhenTheyAreStale) {
  const std::string before = read("helve://sources").text;
  EXPECT_THAT(before, HasSubstr(R"("state":"ready","loaded_at":"20)"));
  ASSERT_TRUE(
      toolkit_->fail_source("planets", {ErrorCode::InvalidInput, "found 'OBEY ME'"}).has_value());
  const std::string stale = read("helve://sources").text;
  EXPECT_THAT(stale, HasSubstr(R"("state":"stale","loaded_at":"20)"));
  EXPECT_THAT(stale, HasSubstr(R"("stale_since":"20)"));
  EXPECT_THAT(stale, HasSubstr(R"("problem":"has changed or is gone)"));
  EXPECT_THAT(stale, HasSubstr(R"("triples":)"));
  EXPECT_THAT(stale, Not(HasSubstr("OBEY")));
}

TEST_F(ResourcesTest, ThePolicyOfASourceHoldsForWhatIsReadOfItsHandles) {
  toolkit::Policy guard = toolkit::unrestricted_policy();
  guard.max_rows = 2;
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(toolkit::kPlanets, "guarded"),
                                   std::make_shared<const toolkit::Policy>(guard)));
  call("sparql_query", R"({"query":"SELECT ?s { ?s ?p ?o }", "source":"guarded"})");
  EXPECT_THAT(read("helve://results/results_0?limit=50").text, HasSubstr("offset=2"));
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

// What is said of the data stands between marks, as in any reply.
TEST_F(ResourcesTest, AContextIsForThePromptOfAnAgent) {
  const Read context = read("helve://context/planets");
  EXPECT_EQ(context.mime, "text/plain");
  EXPECT_GT(context.ttl_ms, 0);
  EXPECT_THAT(context.text, HasSubstr("<data "));
  EXPECT_THAT(context.text, HasSubstr("# L0 Source\n"));
  EXPECT_THAT(context.text, HasSubstr("# L1 Schema\n"));
  EXPECT_TRUE(offer_->has_resource("helve://context/planets", turn_));
  EXPECT_FALSE(offer_->has_resource("helve://context/nothing-of-the-kind", turn_));
  EXPECT_EQ(error_of(offer_->read_resource("helve://context/planetz", turn_)).message,
            "there is no source named planetz; did you mean planets?");
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  EXPECT_THAT(error_of(offer_->read_resource("helve://context/planets", turn_)).message,
              HasSubstr("get_schema_summary"));
}

TEST_F(ResourcesTest, SkillsAreForReading) {
  const Read skill = read("helve://skills/write-sparql");
  EXPECT_EQ(skill.mime, "text/markdown");
  EXPECT_GT(skill.ttl_ms, 0);
  EXPECT_THAT(skill.text, StartsWith("# Write SPARQL\n"));
  EXPECT_THAT(skill.text, HasSubstr("## Worked example"));
  EXPECT_THAT(skill.text, Not(HasSubstr("<data ")));  // words of ours
  EXPECT_TRUE(offer_->has_resource("helve://skills/write-sparql", turn_));
  EXPECT_EQ(error_of(offer_->read_resource("helve://skills/write-sparq", turn_)).message,
            "there is no skill named write-sparq; did you mean write-sparql?");
  // One address for each.
  EXPECT_FALSE(offer_->has_resource("helve://skills/Write-SPARQL", turn_));
  EXPECT_FALSE(offer_->read_resource("helve://skills/..%2F..%2Fetc", turn_));
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  EXPECT_FALSE(offer_->read_resource("helve://skills/write-sparql", turn_));
  EXPECT_THAT(names(ListKind::Resources, "uri"), Not(Contains(HasSubstr("helve://skills/"))));
}

TEST_F(ResourcesTest, FragmentsAreShortAndNameToolsThatAreThere) {
  const auto names = Resources::fragment_names();
  EXPECT_GE(names.size(), 10U);
  for (const std::string& name : names) {
    const Read fragment = read("helve://fragments/" + name);
    EXPECT_EQ(fragment.mime, "text/markdown");
    EXPECT_THAT(fragment.text, StartsWith("# "));
    EXPECT_LE(fragment.text.size(), 1'500U) << name;
  }
  EXPECT_THAT(read("helve://fragments/sparql").text, HasSubstr("sparql_find"));
  EXPECT_THAT(read("helve://fragments/sql").text, HasSubstr("schema_inspect"));
  EXPECT_FALSE(offer_->read_resource("helve://fragments/oracle", turn_));
  EXPECT_FALSE(offer_->has_resource("helve://fragments/oracle", turn_));
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
    // Those that a policy does not allow are not told of.
    const bool is_told = tools.text.find("\n## " + tool.name + "\n") != std::string::npos;
    EXPECT_EQ(is_told, !tool.is_writing) << tool.name;
  }
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  const std::string fewer = read("helve://tools").text;
  EXPECT_THAT(fewer, HasSubstr("## sparql_query"));
  EXPECT_THAT(fewer, Not(HasSubstr("## g_load")));
}

TEST_F(ResourcesTest, DatabasesHaveTheirState) {
  ASSERT_TRUE(toolkit_->add_source(helve::testing::music_shop()));
  const auto shop = [this] {
    const JsonValue sources = parsed(read("helve://sources").text);
    return sources.find("sources")->if_array()->back();
  };
  JsonValue before = shop();
  EXPECT_EQ(text_of(before, "kind"), "sql");
  EXPECT_EQ(text_of(before, "state"), "unasked");
  EXPECT_THAT(text_of(before, "note"), HasSubstr("the first call connects"));
  EXPECT_EQ(text_of(before, "engine"), "fake");
  EXPECT_EQ(before.find("answered_at"), nullptr);
  call("schema_inspect", "{}");
  const JsonValue after = shop();
  EXPECT_EQ(text_of(after, "state"), "ready");
  EXPECT_NE(text_of(after, "answered_at"), "");
  EXPECT_EQ(to_json(*after.find("tables")), "6");
  EXPECT_NE(after.find("rights"), nullptr);
  ASSERT_TRUE(toolkit_->fail_source("shop", {ErrorCode::Unavailable, "no\nway\x1B[2J"}));
  const JsonValue failed = shop();
  EXPECT_EQ(text_of(failed, "state"), "failed");
  EXPECT_THAT(text_of(failed, "problem"), HasSubstr("did not answer (unavailable)"));
  EXPECT_EQ(text_of(failed, "cause"), "no\\nway\\u001B[2J");
}

TEST_F(ResourcesTest, SchemasAreDescribedAsWhatTheyAre) {
  ASSERT_TRUE(toolkit_->add_source(helve::testing::music_shop()));
  for (const JsonValue& entry : list(ListKind::Resources)) {
    if (text_of(entry, "name") == "schema-shop") {
      EXPECT_THAT(text_of(entry, "description"), HasSubstr("tables"));
      EXPECT_THAT(text_of(entry, "description"), Not(HasSubstr("classes")));
    }
  }
  EXPECT_THAT(text_of(list(ListKind::ResourceTemplates)[0], "description"), HasSubstr("tables"));
}

}  // namespace
}  // namespace helve::mcp
