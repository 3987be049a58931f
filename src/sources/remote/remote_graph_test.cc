#include "sources/remote/remote_graph.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/percent.h"
#include "sources/remote/remote_graph_testing.h"
#include "sources/remote/remote_services.h"

namespace helve::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RemoteGraphTest, RowsComeThrough) {
  env_.http().reply(200, numbers(3), kJson);
  Rows rows;
  const GraphRun run = select("SELECT ?x { ?x ?p ?o }", rows);
  EXPECT_FALSE(run.error);
  EXPECT_THAT(rows.values, ElementsAre("0", "1", "2"));
  EXPECT_EQ(run.rows, 3U);
  EXPECT_FALSE(run.has_more);
  EXPECT_TRUE(run.incomplete.empty());
  EXPECT_TRUE(graph_->info().is_remote);
}

TEST_F(RemoteGraphTest, ReadingStopsWhenThereIsEnough) {
  env_.http().reply(200, numbers(100) + "this is never read", kJson);
  Rows rows;
  const GraphRun run = select("SELECT ?x { ?x ?p ?o }", rows, 10);
  EXPECT_FALSE(run.error);
  EXPECT_TRUE(run.has_more);
  EXPECT_EQ(rows.values.size(), 10U);
}

TEST_F(RemoteGraphTest, FewRowsAreAskedForWhereFewAreWanted) {
  Rows rows;
  const auto sent = [&](const std::string& query, std::uint64_t rows_max) {
    env_.http().reply(200, numbers(1), kJson);
    select(query, rows, rows_max);
    return asked().back();
  };
  EXPECT_THAT(sent("SELECT ?x { ?x ?p ?o }", 10), HasSubstr("LIMIT 11"));
  EXPECT_THAT(sent("SELECT ?x { ?x ?p ?o } LIMIT 500", 10), HasSubstr("LIMIT 11"));
  EXPECT_THAT(sent("SELECT ?x { ?x ?p ?o } LIMIT 5", 10), HasSubstr("LIMIT 5"));
  EXPECT_THAT(sent("SELECT ?x { ?x ?p ?o }", 1'000'000), Not(HasSubstr("LIMIT")));
  EXPECT_THAT(sent("ASK { ?x ?p ?o }", 10), Not(HasSubstr("LIMIT")));
}

TEST_F(RemoteGraphTest, WhatIsCutKeepsItsRows) {
  const std::string whole = numbers(100);
  env_.http().reply(200, whole.substr(0, whole.size() / 2), kJson);
  Rows rows;
  const GraphRun run = select("SELECT ?x { ?x ?p ?o }", rows);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.cause, "cut");
  EXPECT_GT(rows.values.size(), 40U);
  EXPECT_EQ(rows.values.size(), run.rows);
}

TEST_F(RemoteGraphTest, SilentLimitsAreLookedBehind) {
  env_.http().reply(200, numbers(1'000), kJson);
  env_.http().reply(200, numbers(1, 1'000), kJson);
  Rows rows;
  const GraphRun run = select("SELECT ?x { ?x ?p ?o }", rows);
  EXPECT_FALSE(run.error);
  EXPECT_THAT(run.incomplete, HasSubstr("there are more"));
  EXPECT_THAT(asked().at(1), HasSubstr("OFFSET 1000"));
  EXPECT_EQ(rows.values.size(), 1'000U);
}

TEST_F(RemoteGraphTest, RoundNumbersMayBeTrue) {
  env_.http().reply(200, numbers(1'000), kJson);
  env_.http().reply(200, numbers(0), kJson);
  Rows rows;
  EXPECT_TRUE(select("SELECT ?x { ?x ?p ?o }", rows).incomplete.empty());
  // A LIMIT that is met tells nothing, and costs nothing.
  env_.http().reply(200, numbers(1'000), kJson);
  EXPECT_TRUE(select("SELECT ?x { ?x ?p ?o } LIMIT 1000", rows).incomplete.empty());
  EXPECT_EQ(asked().size(), 3U);
}

TEST_F(RemoteGraphTest, CountsAreBoundedThere) {
  env_.http().reply(200, numbers(1, 11), kJson);
  const auto query = parsed("SELECT * { ?s ?p ?o }");
  const auto count = graph_->count_upto(query.body().where, {}, 10, {});
  ASSERT_TRUE(count);
  EXPECT_EQ(count->n, 10U);
  EXPECT_FALSE(count->is_exact);
  EXPECT_THAT(asked().at(0), HasSubstr("LIMIT 11"));
  // No number that a server cannot read.
  env_.http().reply(200, numbers(1, 11), kJson);
  EXPECT_EQ(graph_->count_upto(query.body().where, {}, UINT64_MAX - 1, {})->n, 11U);
  EXPECT_THAT(asked().at(1), Not(HasSubstr("LIMIT")));
}

TEST_F(RemoteGraphTest, ACountIsANumberAndWhole) {
  const auto pattern = parsed("SELECT * { ?s ?p ?o }").body().where;
  const std::string text =
      R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"many"}}]}})";
  for (const std::string& body : {numbers(0), text}) {
    env_.http().reply(200, body, kJson);
    const auto count = graph_->count_upto(pattern, {}, 10, {});
    ASSERT_FALSE(count) << body;
    EXPECT_THAT(count.error().message, HasSubstr("far answered a count without a number"));
  }
  env_.http().reply(
      HttpResponse{200, {{"content-type", kJson}, {"x-sql-state", "S1TAT"}}, numbers(1, 0)});
  const auto partial = graph_->count_upto(pattern, {}, 10, {});
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->n, 0U);
  EXPECT_FALSE(partial->is_exact);
}

TEST_F(RemoteGraphTest, ColumnsAreThoseOfTheQuery) {
  env_.http().reply(200, numbers(2), kJson);
  Rows rows;
  EXPECT_FALSE(select("SELECT ?y ?x { ?x ?p ?y }", rows).error);
  EXPECT_THAT(rows.names, ElementsAre("y", "x"));
  EXPECT_THAT(rows.values, ElementsAre("-", "-"));
}

TEST_F(RemoteGraphTest, TermsAreAskedForWithAsk) {
  env_.http().reply(200, R"({"head":{},"boolean":true})", kJson);
  EXPECT_TRUE(*graph_->has_term(rdf::TermView::iri("http://example.org/a"), {}));
  EXPECT_THAT(asked().at(0), HasSubstr("ASK"));
}

TEST_F(RemoteGraphTest, GraphsComeInAnySyntax) {
  env_.http().reply(200, "<http://a/s> <http://a/p> \"1\" .\n", "application/n-triples");
  env_.http().reply(200, "@prefix a: <http://a/> . a:s a:p 1, 2 .", "text/turtle");
  Statements statements;
  const auto query = parsed("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }");
  EXPECT_FALSE(graph_->run(query, 10, statements, {}).error);
  EXPECT_FALSE(graph_->run(query, 10, statements, {}).error);
  EXPECT_THAT(statements.objects, ElementsAre("1", "1", "2"));
}

TEST_F(RemoteGraphTest, GraphsThatEndAtARoundNumberAreDoubted) {
  const auto statements = [this](int count, const std::string& query) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("<http://a/s> <http://a/p> \"{}\" .\n", i);
    env_.http().reply(200, text, "application/n-triples");
    Statements sink;
    return graph_->run(parsed(query), 1'000'000, sink, {}).incomplete;
  };
  const std::string construct = "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }";
  EXPECT_THAT(statements(1'000, construct), HasSubstr("exactly 1,000 statements"));
  EXPECT_THAT(statements(1'001, construct), HasSubstr("may stop there silently"));
  EXPECT_EQ(statements(1'000, construct + " LIMIT 1000"), "");
  EXPECT_EQ(statements(778, construct), "");
  EXPECT_EQ(statements(0, construct), "");
  // Known from rows.
  env_.http().reply(
      HttpResponse{200, {{"content-type", kJson}, {"x-sparql-maxrows", "777"}}, numbers(777)});
  Rows rows;
  EXPECT_THAT(select("SELECT ?x { ?x ?p ?o }", rows).incomplete, HasSubstr("no more than 777"));
  EXPECT_THAT(statements(778, construct), HasSubstr("exactly 778 statements"));
}

TEST_F(RemoteGraphTest, AskOfVirtuosoIsARow) {
  const auto answer = [this](const std::string& rows) {
    env_.http().reply(
        200,
        fmt::format(R"({{"head":{{"vars":["__ASK_RETVAL"]}},"results":{{"bindings":[{}]}}}})",
                    rows),
        kJson);
    Rows sink;
    const GraphRun run = select("ASK { ?s ?p ?o }", sink);
    EXPECT_FALSE(run.error);
    EXPECT_THAT(sink.names, ::testing::IsEmpty());
    EXPECT_EQ(run.rows, 0U);
    return run.boolean;
  };
  const std::string cell =
      R"({{"__ASK_RETVAL":{{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"{}"}}}})";
  EXPECT_EQ(answer(fmt::format(fmt::runtime(cell), 1)), true);
  EXPECT_EQ(answer(fmt::format(fmt::runtime(cell), 0)), false);
  EXPECT_EQ(answer(""), false);
}

TEST_F(RemoteGraphTest, ServicesAskTheirEndpoint) {
  RemoteServices services(
      [this](const std::string& url) -> Result<std::shared_ptr<EndpointClient>> {
        return EndpointClient::make({.name = "far", .url = url}, env_, gates_);
      });
  EXPECT_EQ(services.check("file:///etc/passwd").error().code, ErrorCode::InvalidInput);
  ASSERT_TRUE(services.check("https://example.org/sparql"));
  env_.http().reply(200, numbers(2), kJson);
  const auto query = parsed("SELECT * { VALUES ?x { 1 2 } ?x ?p ?o }");
  const auto table = services.ask("https://example.org/sparql", query.body().where, {});
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->rows.size(), 2U);
  EXPECT_THAT(asked().at(0), HasSubstr("VALUES"));
  env_.http().reply(
      HttpResponse{200, {{"content-type", kJson}, {"x-sparql-maxrows", "2"}}, numbers(2)});
  EXPECT_EQ(services.ask("https://example.org/sparql", query.body().where, {}).error().code,
            ErrorCode::LimitExceeded);
}

TEST_F(RemoteGraphTest, HowQueriesWentIsRemembered) {
  env_.http().reply(200, numbers(3), kJson);
  env_.http().reply(400, "Query timed out: too heavy", "text/plain");
  Rows rows;
  select("SELECT ?x { ?x a <http://e/C> }", rows);
  select("SELECT ?x { ?x ?p ?o }", rows);
  const auto quick = graph_->experience(parsed("SELECT ?y { ?y a <http://e/D> }"));
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->shape, "by class");
  EXPECT_EQ(quick->answered, 1U);
  const auto heavy = graph_->experience(parsed("SELECT * { ?a ?b ?c }"));
  ASSERT_TRUE(heavy);
  EXPECT_EQ(heavy->too_heavy, 1U);
  EXPECT_EQ(heavy->last_too_heavy, env_.clock().wall());
  EXPECT_FALSE(graph_->experience(parsed("SELECT * { <http://e/s> ?b ?c }")));
  EXPECT_EQ(knowledge_->profile().failures.back().cause, EndpointCause::TooHeavy);
}

TEST_F(RemoteGraphTest, AnswersTellTheEngineAndItsLimits) {
  env_.http().reply(HttpResponse{200,
                                 {{"content-type", kJson},
                                  {"server", "Virtuoso/07.20 (Linux)"},
                                  {"x-sparql-maxrows", "10000"}},
                                 numbers(3)});
  Rows rows;
  select("SELECT ?x { ?x ?p ?o }", rows);
  const auto traits = graph_->traits();
  ASSERT_TRUE(traits);
  EXPECT_EQ(traits->engine, "Virtuoso 07.20");
  EXPECT_EQ(traits->rows_max, 10'000U);
  EXPECT_TRUE(traits->known_since);
  EXPECT_EQ(traits->text_search, "");  // nobody has seen it taken
}

TEST_F(RemoteGraphTest, FindAsksTheTextIndexAndThenExactLabels) {
  knowledge_->change([](EndpointProfile& profile) {
    profile.text_search =
        TextSearch{"bif:contains", "SELECT ?x ?l { {words} } LIMIT {limit}", true};
  });
  env_.http().reply(200, R"({"head":{"vars":["x","l"]},"results":{"bindings":[{"x":{"type":"uri",
    "value":"http://e/1"},"l":{"type":"literal","value":"Amyloid protein"}}]}})",
                    kJson);
  FindRequest request;
  request.text = "amyloid";
  const auto hits = graph_->find(request, {});
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 1U);
  EXPECT_EQ(hits->front().iri, "http://e/1");
  EXPECT_THAT(asked(), ElementsAre("SELECT ?x ?l { \"'amyloid'\" } LIMIT 20"));
  env_.http().reply(200, numbers(0), kJson);
  env_.http().reply(200, numbers(0), kJson);
  EXPECT_TRUE(graph_->find(request, {})->empty());
  EXPECT_THAT(asked().back(), HasSubstr("VALUES ?l { \"amyloid\" \"amyloid\"@en }"));
}

// Nothing found and not searched are not the same.
TEST_F(RemoteGraphTest, FindTellsWhatCouldNotBeSearched) {
  auto known = std::make_shared<EndpointSurvey>();
  known->asked = env_.clock().wall();
  known->schema.classes.push_back({"http://e/Insulin", "", 3, true});
  knowledge_->put_survey(known);
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{503, {{"content-type", "text/plain"}}, "come back later"};
  });
  FindRequest request;
  request.text = "glucagon";
  const auto nothing = graph_->find(request, {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::Unavailable);
  request.text = "insulin";
  EXPECT_EQ(graph_->find(request, {})->size(), 1U);
  request.kind = NameKind::Instance;
  EXPECT_FALSE(graph_->find(request, {}));
  // Classes alone are known without asking.
  request.kind = NameKind::Class;
  const std::size_t before = asked().size();
  EXPECT_EQ(graph_->find(request, {})->size(), 1U);
  EXPECT_EQ(asked().size(), before);
}

TEST_F(RemoteGraphTest, AskWithoutYesOrNoIsNoAnswer) {
  env_.http().reply(200, R"({"head":{"vars":["x"]},"results":{"bindings":[]}})", kJson);
  Rows rows;
  const GraphRun run = select("ASK { ?s ?p ?o }", rows);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.cause, "wrong_answer");
  env_.http().reply(200, R"({"head":{"vars":["x"]},"results":{"bindings":[]}})", kJson);
  EXPECT_FALSE(graph_->has_term(rdf::TermView::iri("http://e/x"), {}));
}

TEST_F(RemoteGraphTest, SortedQueriesGetNoLimitThatVirtuosoRefuses) {
  env_.http().reply(200, numbers(1), kJson);
  env_.http().reply(200, numbers(1), kJson);
  Rows rows;
  select("SELECT ?x { ?x ?p ?o } ORDER BY ?x", rows, 20'000);
  EXPECT_THAT(asked().back(), Not(HasSubstr("LIMIT")));
  select("SELECT ?x { ?x ?p ?o } ORDER BY ?x", rows, 500);
  EXPECT_THAT(asked().back(), HasSubstr("LIMIT 501"));
}

TEST_F(RemoteGraphTest, ColumnsThatDoNotComeAreTold) {
  env_.http().reply(200, numbers(2), kJson);
  Rows rows;
  const GraphRun run = select("SELECT ?a { ?a ?p ?o }", rows);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("far answered without ?a")));
}

// The diagnosis adds variables that no text can have.
TEST_F(RemoteGraphTest, VariablesOfOursKeepTheirValues) {
  sparql::Query query = parsed("SELECT ?x { ?x ?p ?o }");
  std::get<sparql::Select>(query.form).items.front().variable.name = ".t";
  std::string body = numbers(2);
  body.replace(body.find("[\"x\"]"), 5, "[\"helve_t\"]");
  for (std::size_t at = body.find("{\"x\":"); at != std::string::npos; at = body.find("{\"x\":")) {
    body.replace(at, 5, "{\"helve_t\":");
  }
  env_.http().reply(200, body, kJson);
  Rows rows;
  const GraphRun run = graph_->run(query, 10, rows, {});
  EXPECT_FALSE(run.error);
  EXPECT_THAT(run.notes, ::testing::IsEmpty());
  EXPECT_THAT(rows.names, ElementsAre(".t"));
  EXPECT_THAT(rows.values, ElementsAre("0", "1"));
}

}  // namespace
}  // namespace helve::remote
