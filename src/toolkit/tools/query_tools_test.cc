#include <fmt/format.h>

#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

class QueryToolsTest : public ToolTest {};

TEST_F(QueryToolsTest, StoresAllRowsAndShowsTheFirst) {
  const JsonValue reply =
      call("sparql_query", R"({"query": "SELECT ?x { ?x a ?c } ORDER BY ?x", "limit": 3})");
  EXPECT_EQ(text(reply, "key"), "results_0");
  EXPECT_EQ(number(reply, "rows"), 11);
  EXPECT_EQ(number(reply, "total_available"), 11);
  EXPECT_EQ(text(reply, "total_is"), "exact");
  EXPECT_TRUE(flag(reply, "truncated"));
  EXPECT_EQ(number(reply, "limit_applied"), 3);
  EXPECT_EQ(size(reply, "preview"), 3U);
  EXPECT_EQ(text(reply, "source"), "planets");
}

TEST_F(QueryToolsTest, SaysThatValuesLookLikeSecrets) {
  const auto warns = [this](std::string_view value) {
    const RenderedReply shown =
        reply("sparql_query", fmt::format(R"({{"query": "SELECT (\"{}\" AS ?x) {{}}"}})", value));
    return shown.text.find("look like keys or tokens") != std::string::npos;
  };
  EXPECT_TRUE(warns("key sk-live-123456789012345678901234"));
  EXPECT_FALSE(warns("key of the door"));
}

TEST_F(QueryToolsTest, AnEqualCallGetsTheSameHandle) {
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planet }"})");
  const JsonValue again = call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planet }"})");
  EXPECT_EQ(text(again, "key"), "results_0");
  const JsonValue other = call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  EXPECT_EQ(text(other, "key"), "results_1");
}

TEST_F(QueryToolsTest, PagesAreTheWholeResult) {
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ?c } ORDER BY ?x"})");
  std::string pages;
  std::int64_t offset = 0;
  for (int i = 0; i < 20 && offset >= 0; ++i) {
    const JsonValue page =
        call("sparql_slice",
             R"({"result": "results_0", "limit": 4, "offset": )" + std::to_string(offset) + "}");
    for (const JsonValue& row : *page.find("rows")->if_array()) pages += to_json(row);
    EXPECT_EQ(static_cast<std::size_t>(number(page, "returned")), size(page, "rows"));
    EXPECT_EQ(number(page, "total_available"), 11);
    offset = flag(page, "has_more") ? number(page, "next_offset") : -1;
  }
  const JsonValue whole = call("sparql_slice", R"({"result": "results_0"})");
  std::string all;
  for (const JsonValue& row : *whole.find("rows")->if_array()) all += to_json(row);
  EXPECT_EQ(pages, all);
}

TEST_F(QueryToolsTest, ColumnsOfHandlesFeedTheNextQuery) {
  call("sparql_query", R"({"query": "SELECT ?m { ?m a ex:Moon ; ex:orbits ex:Mars }"})");
  const JsonValue reply =
      call("sparql_query",
           R"({"query": "SELECT ?m ?l { VALUES ?m { @results_0.m } ?m rdfs:label ?l }"})");
  EXPECT_EQ(number(reply, "rows"), 2);
  const JsonValue wrong =
      call("sparql_query", R"({"query": "SELECT ?m { VALUES ?m { @results_0.nothing } }"})", false);
  EXPECT_EQ(text(*wrong.find("error"), "code"), "invalid_input");
  EXPECT_EQ(text(*wrong.find("error"), "hint"), "its columns: 'm'");
}

TEST_F(QueryToolsTest, OtherFormsOfQueries) {
  EXPECT_TRUE(
      flag(call("sparql_query", R"({"query": "ASK { ex:Luna ex:orbits ex:Earth }"})"), "boolean"));
  const JsonValue graph = call(
      "sparql_query", R"({"query": "CONSTRUCT { ?x rdfs:label ?l } WHERE { ?x rdfs:label ?l }"})");
  EXPECT_EQ(text(graph, "key"), "graph_0");
  EXPECT_EQ(number(graph, "rows"), 9);
  const JsonValue inner = call(
      "g_query", R"({"handle": "graph_0", "query": "SELECT ?x { ?x rdfs:label \"Mars\"@en }"})");
  EXPECT_EQ(number(inner, "rows"), 1);
  const JsonValue plan =
      call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planet }", "explain": true})");
  EXPECT_EQ(plan.find("key"), nullptr);
  EXPECT_NE(text(plan, "plan").find("scan"), std::string::npos);
}

TEST_F(QueryToolsTest, EmptyAnswersAreDiagnosed) {
  const JsonValue reply = call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planett }"})");
  EXPECT_EQ(number(reply, "rows"), 0);
  ASSERT_NE(reply.find("diagnosis"), nullptr);
  EXPECT_EQ(text(*reply.find("diagnosis"), "cause"), "unknown_iri");
  const JsonValue count =
      call("sparql_query",
           R"({"query": "SELECT (COUNT(*) AS ?n) { ex:Earth ex:orbits ?x . ?y ex:orbits ?x }"})");
  EXPECT_NE(count.find("diagnosis"), nullptr);
  // A least value of 0 is an answer.
  const JsonValue least =
      call("sparql_query", R"({"query": "SELECT (MIN(0) AS ?n) { ?x a ex:Moon }"})");
  EXPECT_EQ(least.find("diagnosis"), nullptr);
  const JsonValue undiagnosed =
      call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Planetoid }", "diagnose": false})");
  EXPECT_EQ(undiagnosed.find("diagnosis"), nullptr);
}

TEST_F(QueryToolsTest, MistakesArePointedAt) {
  const JsonValue reply = call("sparql_query", R"({"query": "SELECT ?x { ?x a }"})", false);
  const JsonValue* error = reply.find("error");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(text(*error, "code"), "invalid_input");
  EXPECT_NE(error->find("position"), nullptr);
  const JsonValue update = call("sparql_query", R"({"query": "DELETE WHERE { ?s ?p ?o }"})", false);
  EXPECT_EQ(text(*update.find("error"), "code"), "invalid_input");
}

TEST_F(QueryToolsTest, CountsQueriesAndClasses) {
  EXPECT_EQ(number(call("sparql_count", R"({"query": "SELECT ?x { ?x a ex:Moon }"})"), "count"), 3);
  EXPECT_EQ(number(call("sparql_count", R"({"query": "SELECT DISTINCT ?c { ?x a ?c } LIMIT 2"})"),
                   "count"),
            2);
  EXPECT_EQ(number(call("sparql_count", R"({"class": "ex:Planet"})"), "count"), 3);
  EXPECT_EQ(number(call("sparql_count", R"({"query": "DESCRIBE ex:Mars"})"), "count"), 3);
  // What is wrong with a query is told, and not counted as nothing.
  call("sparql_count", R"({"query": "SELECT * { SERVICE <http://e/> { ?s ?p ?o } }"})", false);
}

TEST_F(QueryToolsTest, HandlesTellWhereTheyCameFrom) {
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  const JsonValue stats = call("sparql_stats", R"({"result": "results_0"})");
  EXPECT_EQ(number(stats, "rows"), 3);
  EXPECT_EQ(text(stats, "made_from"), "planets");
  EXPECT_EQ(text(stats, "query"), "SELECT ?x { ?x a ex:Moon }");
  const JsonValue unknown = call("sparql_stats", R"({"result": "results_7"})", false);
  EXPECT_EQ(text(*unknown.find("error"), "code"), "not_found");
  EXPECT_NE(to_json(unknown).find("results_0"), std::string::npos);
}

}  // namespace
}  // namespace helve::toolkit
