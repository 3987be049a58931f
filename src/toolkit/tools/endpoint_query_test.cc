// Queries and endpoint_info on an endpoint: what is asked, sent, refused and told.
#include <gmock/gmock.h>

#include "tests/support/fake_env.h"
#include "toolkit/guard/endpoint_testing.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class EndpointQuery : public ToolTest {
 protected:
  EndpointQuery() {
    auto made = Toolkit::make({}, env_, helve::testing::graph_factory());
    EXPECT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    EXPECT_TRUE(toolkit_->add_source(endpoint_).has_value());
  }

  JsonValue query(const std::string& text, bool ok = true, const char* more = "") {
    return call("sparql_query", R"({"query": )" + to_json(JsonValue(text)) + more + "}", ok);
  }

  FakeEnv env_;
  std::shared_ptr<test::FakeEndpoint> endpoint_ = test::large_endpoint();
};

TEST_F(EndpointQuery, WhatHasNoMatchIsNotSent) {
  const JsonValue reply = query("SELECT ?x ?y { ?x a :Thing ; :name \"nobody\" ; :part ?y }");
  EXPECT_EQ(number(reply, "rows"), 0);
  EXPECT_EQ(text(reply, "total_is"), "exact");
  EXPECT_EQ(to_json(*reply.find("columns")), R"(["x","y"])");
  EXPECT_THAT(to_json(*reply.find("warnings")), HasSubstr("and was not sent"));
  const JsonValue* diagnosis = reply.find("diagnosis");
  ASSERT_NE(diagnosis, nullptr);
  EXPECT_THAT(to_json(*diagnosis->find("parts")), HasSubstr(R"(?x :name \"nobody\")"));
  EXPECT_EQ(diagnosis->find("suggestion"), nullptr);
  for (const std::string& sent : endpoint_->ran) EXPECT_THAT(sent, Not(HasSubstr("part")));
  const std::size_t asked = endpoint_->counted.size();
  const JsonValue quiet =
      query("SELECT ?z { ?z a :Thing ; :name \"nobody\" }", true, R"(, "diagnose": false)");
  EXPECT_EQ(number(quiet, "rows"), 0);
  EXPECT_EQ(quiet.find("diagnosis"), nullptr);
  EXPECT_THAT(endpoint_->counted, SizeIs(asked));  // it was known
  const JsonValue asks =
      query("ASK { ?z a :Thing ; :name \"nobody\" }", true, R"(, "diagnose": false)");
  EXPECT_FALSE(flag(asks, "boolean"));
  EXPECT_NE(asks.find("boolean"), nullptr);
  EXPECT_THAT(endpoint_->counted, SizeIs(asked));
}

TEST_F(EndpointQuery, WhatHasMatchesIsSentAndAskedAboutOnce) {
  endpoint_->counts["?s <http://x/name> \"v\" ."] = {3, true};
  EXPECT_EQ(number(query("SELECT ?x { ?x a :Thing ; :name \"v\" }"), "rows"), 1);
  EXPECT_EQ(number(query("SELECT ?x { ?x :name \"v\" ; :part ?y }"), "rows"), 1);
  EXPECT_THAT(endpoint_->counted, SizeIs(1));
  EXPECT_THAT(endpoint_->ran, SizeIs(2));
}

TEST_F(EndpointQuery, ALocalGraphIsNotProbed) {
  endpoint_->info().is_remote = false;
  query("SELECT ?x { ?x a :Thing ; :name \"v\" }");
  EXPECT_THAT(endpoint_->counted, IsEmpty());
  EXPECT_THAT(endpoint_->ran, SizeIs(1));
}

TEST_F(EndpointQuery, ProbesRefuseAndSayTheNumber) {
  endpoint_->counts["?s <http://x/here> ?o ."] = {1'000'000, false};
  endpoint_->counts["?s <http://x/there> ?o ."] = {900'000, true};
  const std::string product =
      "SELECT (COUNT(*) AS ?n) { ?x :here ?a . ?y :there ?b FILTER(CONTAINS(?a, ?b)) }";
  const JsonValue refused = query(product, false);
  EXPECT_THAT(to_json(*refused.find("error")),
              HasSubstr("?x :here ?a has at least 1,000,000 matches"));
  EXPECT_THAT(endpoint_->ran, IsEmpty());
  const JsonValue warned = query(product, true, R"(, "validate": false)");
  EXPECT_THAT(to_json(*warned.find("warnings")), HasSubstr("900,000 matches"));
  EXPECT_THAT(endpoint_->ran, SizeIs(1));
  EXPECT_THAT(endpoint_->counted, SizeIs(2));
}

TEST_F(EndpointQuery, AFailingProbeLeavesItToTheQuery) {
  endpoint_->failures.insert_or_assign("?s <http://x/name> \"v\" .",
                                       Error{ErrorCode::Unavailable, "nobody answers"});
  query("SELECT ?x { ?x a :Thing ; :name \"v\" ; :id 3 }");
  EXPECT_THAT(endpoint_->counted, SizeIs(1));
  EXPECT_THAT(endpoint_->ran, SizeIs(1));
}

TEST_F(EndpointQuery, ExplainsByAPlanOfItsOwn) {
  endpoint_->counts["?s <http://x/name> \"v\" ."] = {3, true};
  endpoint_->seen = ShapeRecord{"by value, join", 2, 0, 0.4, 1.5, std::nullopt};
  constexpr const char* kText = "SELECT ?x { ?x a :Thing ; :name \"v\" ; ?p ?o }";
  const RenderedReply shown =
      reply("sparql_query", R"({"explain": true, "query": )" + to_json(JsonValue(kText)) + "}");
  EXPECT_THAT(shown.text, StartsWith("plan, nothing was run but 1 probe: Helve's own estimate and "
                                     "order, not the plan of far, which is not told; about "));
  EXPECT_THAT(shown.text, HasSubstr("queries of this shape (by value, join) took 0.4 s there, 1.5 "
                                    "s at most"));
  EXPECT_THAT(shown.text, HasSubstr("look-up  ?x :name \"v\""));
  const JsonValue json = *parse_json(shown.json);
  EXPECT_EQ(number(json, "probes"), 1);
  EXPECT_EQ(text(json, "plan_by"), "helve");
  EXPECT_EQ(json.find("key"), nullptr);
  EXPECT_GT(number(json, "estimated_rows"), 0);
  EXPECT_THAT(endpoint_->ran, IsEmpty());
  // A refusal is a warning of the plan.
  const JsonValue heavy = query("SELECT DISTINCT ?p { ?s ?p ?o }", true, R"(, "explain": true)");
  EXPECT_THAT(to_json(*heavy.find("warnings")),
              HasSubstr("needs a look at all 1,000,000,000 triples of far"));
  EXPECT_EQ(number(heavy, "probes"), 0);
  EXPECT_THAT(endpoint_->ran, IsEmpty());
  EXPECT_THAT(endpoint_->counted, SizeIs(1));
}

TEST_F(EndpointQuery, ExplainsNothingThatAPolicyForbids) {
  Policy policy;
  policy.allowed_graphs = {"http://x/open"};
  caller_.policy = std::make_shared<const Policy>(policy);
  const JsonValue denied = query("SELECT * { GRAPH :closed { ?x :name \"v\" ; :part ?y } }", false,
                                 R"(, "explain": true)");
  EXPECT_EQ(text(*denied.find("error"), "code"), "denied");
  EXPECT_THAT(endpoint_->counted, IsEmpty());
}

TEST_F(EndpointQuery, RowsWithoutWhatWasAskedForAreRefused) {
  endpoint_->is_hollow = true;
  for (const auto& [tool, arguments] :
       {std::pair("sparql_describe", R"({"resource": "<http://x/a>"})"),
        std::pair("sparql_peek", R"({"resource": "<http://x/Thing>"})"),
        std::pair("sparql_sample", R"({"class": "<http://x/Thing>"})")}) {
    const JsonValue reply = call(tool, arguments, false);
    EXPECT_THAT(to_json(reply), HasSubstr("answered a small question with rows without ?")) << tool;
  }
}

TEST_F(EndpointQuery, InfoTellsWhatIsKnownOfTheEngine) {
  const JsonValue plain = call("endpoint_info", "{}");
  EXPECT_EQ(text(plain, "engine"), "SPARQL endpoint");
  EXPECT_TRUE(plain.find("profile_age")->is_null());
  EXPECT_EQ(plain.find("limits")->find("endpoint_timeout_s"), nullptr);
  EXPECT_EQ(plain.find("text_search"), nullptr);
  endpoint_->told = EndpointTraits{};
  endpoint_->told->engine = "Virtuoso";
  endpoint_->told->text_search = "?o <bif:contains> \"'word'\"";
  endpoint_->told->query_time_max = std::chrono::minutes(15);
  endpoint_->told->rows_max = 10'000;
  endpoint_->told->known_since = env_.clock().wall() - std::chrono::minutes(200);
  endpoint_->told->notes = {"ORDER BY on more than 10,000 rows fails"};
  const JsonValue known = call("endpoint_info", "{}");
  EXPECT_EQ(text(known, "engine"), "Virtuoso");
  EXPECT_EQ(text(known, "profile_age"), "asked 2024-12-31 20:40 UTC, 3 hours ago");
  EXPECT_EQ(number(*known.find("limits"), "endpoint_timeout_s"), 900);
  EXPECT_EQ(number(*known.find("limits"), "endpoint_rows"), 10'000);
  EXPECT_EQ(number(*known.find("limits"), "rows_stored"), 1'000'000);
  EXPECT_EQ(text(known, "text_search"), "?o <bif:contains> \"'word'\"");
  EXPECT_EQ(to_json(*known.find("notes")), R"(["ORDER BY on more than 10,000 rows fails"])");
}

}  // namespace
}  // namespace helve::toolkit
