// Tools on an endpoint that is far larger than could be walked through.
#include <gmock/gmock.h>

#include "tests/support/graph/far_graph.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kClasses = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:a a ex:A ; ex:near ex:b ; ex:name "first" . ex:b a ex:B ; ex:name "second" . ex:c a ex:C .
ex:d a ex:D . ex:e a ex:E . ex:f a ex:F . ex:g a ex:G . ex:h a ex:H .
ex:near a owl:ObjectProperty . ex:Above a owl:Class . ex:A rdfs:subClassOf ex:Above .
)";

class FarToolsTest : public ToolTest {
 protected:
  FarToolsTest() {
    far_ = std::make_shared<helve::testing::FarGraph>(helve::testing::graph_of(kClasses, "far"));
    auto made = Toolkit::make({}, real_env(), helve::testing::graph_factory());
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    EXPECT_TRUE(toolkit_->add_source(far_).has_value());
  }

  // Queries that were asked, but for those whether there is such a name.
  static std::vector<std::string> take_queries(const helve::testing::FarGraph& far) {
    std::vector<std::string> asked = far.take_asked();
    std::erase(asked, "has_term");
    return asked;
  }

  std::shared_ptr<helve::testing::FarGraph> far_;
};

TEST_F(FarToolsTest, ClassesAreListedWithFewRequests) {
  const RenderedReply shown = reply("sparql_schema", R"({"output_mode": "classes"})");
  EXPECT_FALSE(shown.is_error) << shown.text;
  EXPECT_THAT(shown.text, HasSubstr("of the first 5 classes"));
  EXPECT_THAT(shown.text, HasSubstr("from the VoID description of the endpoint, asked 2026-01-02"));
  const auto asked = take_queries(*far_);
  EXPECT_EQ(asked.size(), 5U);
  EXPECT_THAT(asked, Each(HasSubstr("LIMIT 200")));
}

TEST_F(FarToolsTest, PatternsGroupSomeInstancesOnly) {
  const JsonValue reply =
      call("sparql_schema", R"({"output_mode": "patterns", "max_chars": 20000})");
  bool has_group = false;
  for (const JsonValue& pattern : *reply.find("patterns")->if_array()) {
    const std::string example = text(pattern, "example");
    if (example.find("GROUP BY") == std::string::npos) continue;
    has_group = true;
    EXPECT_THAT(example, HasSubstr("LIMIT 1000"));
  }
  EXPECT_TRUE(has_group);
  take_queries(*far_);
  // What is not shown is not asked for; what is known of the classes is kept.
  const JsonValue one = call("sparql_schema", R"({"output_mode": "patterns", "limit": 1})");
  EXPECT_EQ(size(one, "patterns"), 1U);
  EXPECT_TRUE(flag(one, "truncated"));
  EXPECT_EQ(take_queries(*far_).size(), 1U);
}

TEST_F(FarToolsTest, LargeClassesAreCountedByWhatIsTold) {
  const RenderedReply shown = reply("sparql_count", R"({"class": "ex:A"})");
  EXPECT_THAT(shown.json, HasSubstr(R"("count":1,"count_is":"exact")"));
  EXPECT_EQ(take_queries(*far_).size(), 1U);  // a million can be counted
  const auto more = helve::testing::graph_of(
      "@prefix ex: <http://example.org/> . ex:a a ex:A . ex:b a ex:A .", "more");
  const auto far = std::make_shared<helve::testing::FarGraph>(more);
  toolkit_ = *Toolkit::make({}, real_env(), helve::testing::graph_factory());
  ASSERT_TRUE(toolkit_->add_source(far).has_value());
  const RenderedReply told = reply("sparql_count", R"({"class": "ex:A"})");
  EXPECT_THAT(told.json, HasSubstr(R"("count":2000000,"count_is":"estimate")"));
  EXPECT_THAT(told.text, HasSubstr("the number is from the VoID description"));
  EXPECT_THAT(take_queries(*far), IsEmpty());
}

TEST_F(FarToolsTest, QueriesAreCountedToAMillionThere) {
  std::string triples = "@prefix ex: <http://example.org/> . ";
  for (int i = 0; i < 25; ++i) triples += "ex:a" + std::to_string(i) + " a ex:A . ";
  const auto far =
      std::make_shared<helve::testing::FarGraph>(helve::testing::graph_of(triples, "more"));
  toolkit_ = *Toolkit::make({}, real_env(), helve::testing::graph_factory());
  ASSERT_TRUE(toolkit_->add_source(far).has_value());
  const RenderedReply shown = reply("sparql_count", R"({"query": "SELECT ?x { ?x a ex:A }"})");
  EXPECT_THAT(shown.json, HasSubstr(R"("count":25,"count_is":"exact")"));
  EXPECT_EQ(far->last_cap(), 1'000'000U);
}

TEST_F(FarToolsTest, ClassesWithoutInstancesTellOfThoseBelow) {
  const RenderedReply shown = reply("sparql_peek", R"({"resource": "ex:Above"})");
  EXPECT_THAT(shown.json, HasSubstr(R"("subclasses":[{"uri":"ex:A","count":1000000}])"));
  EXPECT_THAT(take_queries(*far_), Each(Not(HasSubstr("COUNT(?x)"))));
}

TEST_F(FarToolsTest, ThingsAreDescribedByBoundedCounts) {
  const RenderedReply shown =
      reply("sparql_describe", R"({"resource": "ex:b", "output_mode": "summary"})");
  EXPECT_THAT(shown.json, HasSubstr(R"({"name":"ex:near","count":1,"sample":"ex:a"})"));
  const auto asked = take_queries(*far_);
  EXPECT_EQ(asked.size(), 4U);  // both directions, types, label
  EXPECT_THAT(asked.at(0), HasSubstr("LIMIT 10000"));
  EXPECT_THAT(asked.at(1), HasSubstr("LIMIT 10000"));
}

TEST_F(FarToolsTest, WhatTookTooLongComesWithALighterQuery) {
  far_->give_up();
  // Not slow enough to be refused.
  const JsonValue reply =
      call("sparql_query",
           R"({"query": "SELECT ?x { ?x ex:name ?n FILTER(CONTAINS(?n, \"seco\")) }"})", false);
  const JsonValue& error = *reply.find("error");
  EXPECT_EQ(text(error, "cause"), "too_heavy");
  EXPECT_THAT(text(error, "suggested_query"), HasSubstr("VALUES ?n"));
  EXPECT_EQ(take_queries(*far_).size(), 1U);
  // Nothing lighter is known.
  const JsonValue plain =
      call("sparql_query", R"({"query": "SELECT ?x { ?x ex:name \"second\" }"})", false);
  EXPECT_EQ(plain.find("error")->find("suggested_query"), nullptr);
}

TEST_F(FarToolsTest, AnAnswerThatMayBeOtherIsToldOfAsSuch) {
  far_->leave_out("it may stop there silently");
  const RenderedReply shown = reply("sparql_query", R"({"query": "ASK { ex:a a ex:A }"})");
  EXPECT_FALSE(shown.is_error) << shown.text;
  EXPECT_THAT(shown.text, HasSubstr("not complete: it may stop there silently"));
}

// Nothing found and not searched are not the same.
TEST_F(FarToolsTest, FindTellsWhatCouldNotBeSearched) {
  EXPECT_EQ(text(call("sparql_find", R"({"pattern": "near"})"), "total_is"), "exact");
  far_->search_no_things();
  const JsonValue some = call("sparql_find", R"({"pattern": "near"})");
  EXPECT_EQ(size(some, "hits"), 1U);
  EXPECT_EQ(text(some, "total_is"), "at_least");
  EXPECT_THAT(to_json(some), HasSubstr("only classes and properties were searched"));
  const JsonValue none = call("sparql_find", R"({"pattern": "insulin"})", false);
  EXPECT_EQ(text(*none.find("error"), "code"), "unavailable");
  call("sparql_find", R"({"pattern": "near", "kind": "instance"})", false);
}

TEST_F(FarToolsTest, PrefixesOfTheDataAreKnownToTheFirstCall) {
  far_->forget_prefixes();
  const JsonValue rows = call("sparql_query", R"({"query": "SELECT ?n { ex:a ex:name ?n }"})");
  EXPECT_EQ(number(rows, "rows"), 1);
  far_->forget_prefixes();
  call("sparql_describe", R"({"resource": "ex:a"})");
}

// Mistakes that no prefix would mend ask nothing.
TEST_F(FarToolsTest, OnlyAPrefixThatIsMissingAsksForMore) {
  far_->forget_prefixes();
  const int before = far_->schemas_asked();
  call("sparql_query", R"({"query": "SELECT ?n { <http://e/a> ?p ?n"})", false);
  EXPECT_EQ(far_->schemas_asked(), before);
  const JsonValue unknown =
      call("sparql_query", R"({"query": "SELECT ?n { nowhere:a ?p ?n }"})", false);
  EXPECT_THAT(to_json(unknown), HasSubstr("the prefix nowhere: of nowhere:a is not declared"));
  EXPECT_EQ(far_->schemas_asked(), before + 1);
}

}  // namespace
}  // namespace helve::toolkit
