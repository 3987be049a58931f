#include "sources/remote/remote_graph.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/percent.h"
#include "sources/remote/endpoint_probe.h"
#include "sources/remote/remote_services.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kJson = "application/sparql-results+json";

struct Rows final : RowSink {
  Result<void> columns(const std::vector<std::string>& new_names) override {
    names = new_names;
    return {};
  }
  Result<void> row(Row cells) override {
    values.push_back(cells[0] ? std::string(cells[0]->value) : "-");
    return {};
  }
  std::vector<std::string> names;
  std::vector<std::string> values;
};

struct Statements final : rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& statement) override {
    objects.emplace_back(statement.object.value);
    return {};
  }
  std::vector<std::string> objects;
};

std::string numbers(int count, int first = 0) {
  std::string bindings;
  for (int i = first; i < first + count; ++i) {
    bindings += fmt::format(R"({}{{"x":{{"type":"literal","value":"{}"}}}})",
                            bindings.empty() ? "" : ",", i);
  }
  return fmt::format(R"({{"head":{{"vars":["x"]}},"results":{{"bindings":[{}]}}}})", bindings);
}

class RemoteGraphTest : public testing::Test {
 protected:
  RemoteGraphTest() {
    make();
    // An endpoint that is known already, and holds nothing.
    env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
      return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
    });
    EXPECT_TRUE(graph_->schema({}));
    env_.http().set_handler(nullptr);
    known_ = env_.http().requests().size();
  }
  // One of which nothing is known.
  void make() {
    SourceInfo info;
    info.name = "far";
    info.uri = "https://example.org/sparql";
    EndpointOptions options;
    options.name = info.name;
    options.url = info.uri;
    knowledge_ = std::make_shared<EndpointKnowledge>(ProfilePlace(), EndpointProfile(), env_);
    graph_ = make_remote_graph(*EndpointClient::make(options, env_, gates_, knowledge_), knowledge_,
                               info, env_);
  }
  static sparql::Query parsed(const std::string& text) { return sparql::parse_query(text)->query; }
  GraphRun select(const std::string& text, Rows& rows, std::uint64_t max = 1'000'000) {
    return graph_->run(parsed(text), max, rows, {});
  }
  // The queries that were sent.
  std::vector<std::string> asked() {
    std::vector<std::string> queries;
    const auto requests = env_.http().requests();
    for (std::size_t i = known_; i < requests.size(); ++i) {
      const HttpRequest& request = requests[i];
      queries.push_back(*percent_decoded(request.body.substr(request.body.find('=') + 1)));
    }
    return queries;
  }

  FakeEnv env_;
  std::shared_ptr<HostGates> gates_ = std::make_shared<HostGates>(env_.clock());
  std::shared_ptr<EndpointKnowledge> knowledge_;
  std::shared_ptr<const GraphSource> graph_;
  std::size_t known_ = 0;  // requests that were made to know it
};

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

TEST_F(RemoteGraphTest, TheSchemaComesFromVoidWhereThereIsOne) {
  make();
  env_.http().set_handler([](const HttpRequest& request) -> Result<HttpResponse> {
    if (request.url.ends_with("/.well-known/void")) {
      return HttpResponse{
          200,
          {{"content-type", "text/turtle"}},
          "@prefix void: <http://rdfs.org/ns/void#> . <#d> void:triples 5000000000 ; "
          "void:classPartition [ void:class <http://a/Protein> ; void:entities 7 ] ; "
          "void:propertyPartition [ void:property <http://a/name> ; void:triples 9 ]"
          " ."};
    }
    return HttpResponse{
        200, {{"content-type", kJson}}, R"({"head":{"vars":[]},"results":{"bindings":[]}})"};
  });
  const auto schema = graph_->schema({});
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_EQ((*schema)->triples, 5'000'000'000U);
  EXPECT_EQ((*schema)->classes.at(0).iri, "http://a/Protein");
  EXPECT_EQ((*schema)->classes.at(0).instances, 7U);
  EXPECT_EQ((*schema)->properties.at(0).triples, 9U);
  EXPECT_THAT((*schema)->origin, HasSubstr("VoID"));
  for (const std::string& query : asked()) {
    EXPECT_THAT(query, Not(HasSubstr("GROUP BY"))) << "a scan";
    EXPECT_THAT(query, Not(HasSubstr("COUNT"))) << "a scan";
  }
  // Once.
  const std::size_t requests = env_.http().requests().size();
  EXPECT_TRUE(graph_->schema({}));
  EXPECT_EQ(env_.http().requests().size(), requests);
}

TEST_F(RemoteGraphTest, AllGraphsAreAskedWhereTheDefaultIsOneOfThem) {
  make();
  env_.http().set_handler([](const HttpRequest& request) -> Result<HttpResponse> {
    const std::string query = *percent_decoded(request.body);
    std::string body = R"({"head":{"vars":[]},"results":{"bindings":[]}})";
    if (query.find("GRAPH ?g") != std::string::npos) {
      body = R"({"head":{"vars":["g","n"]},"results":{"bindings":[)"
             R"({"g":{"type":"uri","value":"http://g/1"},"n":{"type":"literal","value":"90"}}]}})";
    } else if (query.find("(COUNT(*) AS ?n) { ?s ?p ?o }") != std::string::npos) {
      body = numbers(1, 10);
    }
    return HttpResponse{200, {{"content-type", kJson}}, body};
  });
  ASSERT_TRUE(graph_->schema({}));
  EXPECT_EQ((*graph_->schema({}))->triples, 90U);
  Rows rows;
  EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), HasSubstr("FROM <http://g/1>"));
  EXPECT_THAT(asked().back(), HasSubstr("FROM NAMED <http://g/1>"));
  EXPECT_FALSE(select("SELECT ?x FROM <http://g/2> { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), Not(HasSubstr("http://g/1")));
}

// Answers of an endpoint whose graphs have these sizes; without FROM `own` triples are seen.
class GraphsOfEndpoint {
 public:
  GraphsOfEndpoint(int own, std::vector<std::pair<std::string, int>> graphs)
      : own_(own), graphs_(std::move(graphs)) {}
  Result<HttpResponse> operator()(const HttpRequest& request) const {
    const std::string query = *percent_decoded(request.body);
    std::string body = numbers(0);
    if (query.find("GRAPH ?g") != std::string::npos) {
      std::string rows;
      for (const auto& [iri, size] : graphs_) {
        rows += fmt::format(R"({}{{"g":{{"type":"uri","value":"{}"}},"n":{{"type":"literal",)"
                            R"("value":"{}"}}}})",
                            rows.empty() ? "" : ",", iri, size);
      }
      body = fmt::format(R"({{"head":{{"vars":["g","n"]}},"results":{{"bindings":[{}]}}}})", rows);
    } else if (query.find("(COUNT(*) AS ?n) { ?s ?p ?o }") != std::string::npos ||
               query.find("(COUNT(*) AS ?n) FROM <urn:x-arq:DefaultGraph>") != std::string::npos) {
      body = numbers(1, own_);
    }
    return HttpResponse{200, {{"content-type", kJson}}, body};
  }

 private:
  int own_;
  std::vector<std::pair<std::string, int>> graphs_;
};

TEST_F(RemoteGraphTest, TheSchemaIsThatOfTheGraphsThatAreAsked) {
  make();
  env_.http().set_handler(GraphsOfEndpoint(0, {{"http://g/1", 90}}));
  ASSERT_TRUE(graph_->schema({}));
  EXPECT_EQ((*graph_->schema({}))->triples, 90U);
  for (const char* part : {"SELECT ?c (COUNT", "GROUP BY ?p", "DISTINCT ?c", "DISTINCT ?p"}) {
    const auto all = asked();
    const auto found = std::find_if(all.begin(), all.end(), [part](const std::string& query) {
      return query.find(part) != std::string::npos;
    });
    ASSERT_NE(found, all.end()) << part;
    EXPECT_THAT(*found, HasSubstr("FROM <http://g/1>"));
  }
  FindRequest request;
  request.text = "Io";
  ASSERT_TRUE(graph_->find(request, {}));
  EXPECT_THAT(asked().back(), HasSubstr("\"Io\"@en"));
  EXPECT_THAT(asked().back(), HasSubstr("FROM <http://g/1>"));
}

TEST_F(RemoteGraphTest, TheUnnamedGraphIsAskedTooWhereItCanBeNamed) {
  make();
  env_.http().set_handler(GraphsOfEndpoint(10, {{"http://g/1", 90}}));
  EXPECT_EQ((*graph_->schema({}))->triples, 100U);
  Rows rows;
  EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), HasSubstr("FROM <urn:x-arq:DefaultGraph>"));
  EXPECT_THAT(asked().back(), Not(HasSubstr("FROM NAMED <urn:x-arq:DefaultGraph>")));
}

TEST_F(RemoteGraphTest, WhatVirtuosoKeepsForItselfIsNotData) {
  make();
  const std::string own = "http://www.openlinksw.com/schemas/virtrdf#";
  env_.http().set_handler(
      GraphsOfEndpoint(102, {{own, 9}, {"http://g/1", 90}, {"http://www.w3.org/ns/ldp#", 3}}));
  const auto schema = *graph_->schema({});
  EXPECT_EQ(schema->triples, 90U);
  EXPECT_THAT(schema->graphs, ElementsAre(testing::Pair("http://g/1", 90U)));
  Rows rows;
  EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), HasSubstr("FROM <http://g/1>"));
  EXPECT_THAT(asked().back(), Not(HasSubstr(own)));
  EXPECT_THAT(asked().back(), Not(HasSubstr("x-arq")));
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
    EXPECT_THAT(sink.names, testing::IsEmpty());
    EXPECT_EQ(run.rows, 0U);
    return run.boolean;
  };
  const std::string cell =
      R"({{"__ASK_RETVAL":{{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"{}"}}}})";
  EXPECT_EQ(answer(fmt::format(fmt::runtime(cell), 1)), true);
  EXPECT_EQ(answer(fmt::format(fmt::runtime(cell), 0)), false);
  EXPECT_EQ(answer(""), false);
}

TEST_F(RemoteGraphTest, GraphsOfALargeEndpointAreLookedIntoByOneTriple) {
  bool is_union = false;
  const auto handler = [&is_union](const HttpRequest& request) -> Result<HttpResponse> {
    if (request.url.ends_with("/.well-known/void")) {
      return HttpResponse{
          200,
          {{"content-type", "text/turtle"}},
          "@prefix void: <http://rdfs.org/ns/void#> . "
          "@prefix sd: <http://www.w3.org/ns/sparql-service-description#> . "
          "<#all> void:triples 5000000000 . <#n> sd:name <http://g/1> ; sd:graph <#g> . "
          "<#g> void:triples 4000000000 ; "
          "void:classPartition [ void:class <http://a/Protein> ; void:entities 7 ] ."};
    }
    const std::string query = *percent_decoded(request.body);
    std::string body = R"({"head":{"vars":[]},"results":{"bindings":[]}})";
    if (query.find("GRAPH <http://g/1>") != std::string::npos) {
      body = R"({"head":{"vars":["s","p","o"]},"results":{"bindings":[)"
             R"({"s":{"type":"bnode","value":"b"},"p":{"type":"uri","value":"http://a/p"},)"
             R"("o":{"type":"literal","value":"1"}},)"
             R"({"s":{"type":"uri","value":"http://a/s"},"p":{"type":"uri","value":"http://a/p"},)"
             R"("o":{"type":"literal","value":"1"}}]}})";
    } else if (query.find("ASK { <http://a/s> <http://a/p> \"1\" }") != std::string::npos) {
      body = fmt::format(R"({{"head":{{}},"boolean":{}}})", is_union);
    }
    return HttpResponse{200, {{"content-type", kJson}}, body};
  };
  for (const bool is_all : {false, true}) {
    is_union = is_all;
    make();
    env_.http().set_handler(handler);
    ASSERT_TRUE(graph_->schema({}));
    Rows rows;
    EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
    EXPECT_EQ(asked().back().find("FROM <http://g/1>") == std::string::npos, is_all);
  }
}

// A query that names more graphs is none that servers take: it is asked as it is.
TEST_F(RemoteGraphTest, NoMoreThanAHundredGraphsAreNamed) {
  for (const int count : {100, 101}) {
    make();
    env_.http().set_handler([count](const HttpRequest& request) -> Result<HttpResponse> {
      const std::string query = *percent_decoded(request.body);
      std::string body = numbers(0);
      if (query.find("GRAPH ?g") != std::string::npos) {
        std::string graphs;
        for (int i = 0; i < count; ++i) {
          graphs += fmt::format(
              R"({}{{"g":{{"type":"uri","value":"http://g/{}"}},"n":{{"type":"literal","value":"2"}}}})",
              i == 0 ? "" : ",", i);
        }
        body =
            fmt::format(R"({{"head":{{"vars":["g","n"]}},"results":{{"bindings":[{}]}}}})", graphs);
      } else if (query.find("(COUNT(*) AS ?n) { ?s ?p ?o }") != std::string::npos) {
        body = numbers(1, 10);
      }
      return HttpResponse{200, {{"content-type", kJson}}, body};
    });
    const auto schema = graph_->schema({});
    ASSERT_TRUE(schema) << schema.error().to_string();
    EXPECT_EQ((*schema)->graphs.size(), static_cast<std::size_t>(count));
    Rows rows;
    EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
    const std::string sent = asked().back();
    std::size_t named = 0;
    for (std::size_t at = sent.find("FROM NAMED"); at != std::string::npos;
         at = sent.find("FROM NAMED", at + 1)) {
      ++named;
    }
    EXPECT_EQ(named, count == 100 ? 100U : 0U);
  }
}

// What the data declares wins over what is well known; what is no prefix is left out.
TEST_F(RemoteGraphTest, PrefixesAreThoseOfTheData) {
  make();
  env_.http().set_handler([](const HttpRequest& request) -> Result<HttpResponse> {
    const std::string query = *percent_decoded(request.body);
    std::string body = numbers(0);
    if (query.find("shacl#prefix") != std::string::npos) {
      std::string rows;
      for (const auto& [name, iri] :
           {std::pair("up", "http://e/core/"), std::pair("upcore", "http://e/core/"),
            std::pair("foaf", "http://e/other/"), std::pair("up", "http://e/second/"),
            std::pair("a b", "http://e/x/"), std::pair("bad", "http://e/ x"),
            std::pair("", "u:")}) {
        rows += fmt::format(R"({}{{"p":{{"type":"literal","value":"{}"}},"n":{{"type":"literal",)"
                            R"("value":"{}"}}}})",
                            rows.empty() ? "" : ",", name, iri);
      }
      body = fmt::format(R"({{"head":{{"vars":["p","n"]}},"results":{{"bindings":[{}]}}}})", rows);
    } else if (query.find("DISTINCT ?c") != std::string::npos) {
      body = R"({"head":{"vars":["c"]},"results":{"bindings":[)"
             R"({"c":{"type":"uri","value":"http://e/core/Protein"}},)"
             R"({"c":{"type":"uri","value":"http://xmlns.com/foaf/0.1/Person"}}]}})";
    }
    return HttpResponse{200, {{"content-type", kJson}}, body};
  });
  const auto schema = *graph_->schema({});
  EXPECT_THAT(graph_->prefixes(), ElementsAre(testing::Pair("up", "http://e/core/"),
                                              testing::Pair("upcore", "http://e/core/"),
                                              testing::Pair("foaf", "http://e/other/")));
  ASSERT_EQ(schema->namespaces.size(), 2U);
  EXPECT_EQ(schema->namespaces[0].prefix, "up");
  EXPECT_EQ(schema->namespaces[1].prefix, "");
}

TEST_F(RemoteGraphTest, AnEndpointThatIsDownHasNoSchema) {
  make();
  const auto schema = graph_->schema({});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::Unavailable);
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

// Ten questions at most, and the profile has what they showed.
TEST_F(RemoteGraphTest, ProbesAreFewAndKept) {
  env_.http().set_handler([](const HttpRequest& request) -> Result<HttpResponse> {
    HttpResponse response{200, {{"content-type", kJson}}, numbers(0)};
    const std::string query = *percent_decoded(request.body);
    if (query.find("LIMIT 1") != std::string::npos &&
        query.find("?s ?p ?o }") != std::string::npos) {
      response.body = R"({"head":{"vars":["s","p","o"]},"results":{"bindings":[{
        "s":{"type":"uri","value":"http://e/s"},"p":{"type":"uri","value":"http://e/p"},
        "o":{"type":"literal","value":"v"}}]}})";
    }
    if (query.find("{ ?s ?p \"v\" }") != std::string::npos) {
      return HttpResponse{500, {{"content-type", "text/plain"}}, "timeout"};
    }
    if (request.method == "GET") {
      return HttpResponse{
          200, {{"content-type", "text/turtle"}}, "# made by http://jena.apache.org/"};
    }
    return response;
  });
  auto client = *EndpointClient::make({.name = "far", .url = "https://example.org/sparql"}, env_,
                                      gates_, knowledge_);
  const auto steps = probe(*client, *knowledge_, env_, {});
  EXPECT_LE(asked().size(), 10U);
  ASSERT_GE(steps.size(), 8U);
  EXPECT_TRUE(steps.front().has_answered);
  const EndpointProfile profile = knowledge_->profile();
  EXPECT_EQ(profile.engine, "Apache Jena");
  EXPECT_EQ(profile.engine_from, "its service description");
  EXPECT_EQ(profile.lookup_seconds.at("value"), -1);
  EXPECT_GE(profile.lookup_seconds.at("subject"), 0);
  EXPECT_TRUE(profile.text_search->is_checked);
  EXPECT_TRUE(profile.probed);
}

TEST_F(RemoteGraphTest, WhoDoesNotAnswerIsProbedOnce) {
  env_.http().fail({ErrorCode::Unavailable, "no"}, HttpFault::Resolve);
  auto client =
      *EndpointClient::make({.name = "far", .url = "https://example.org/sparql", .retries_max = 0},
                            env_, gates_, knowledge_);
  const auto steps = probe(*client, *knowledge_, env_, {});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_FALSE(steps.front().has_answered);
  EXPECT_FALSE(knowledge_->profile().probed);
}

// What is known to be large is not counted.
TEST_F(RemoteGraphTest, LargeOnesAreNotCounted) {
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
  });
  EndpointOptions options;
  options.url = "https://example.org/sparql";
  options.triples = 17'000'000'000;
  auto client = *EndpointClient::make(options, env_, gates_, nullptr);
  const auto found = survey(*client, env_, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schema.triples, 17'000'000'000U);
  for (const std::string& query : asked()) EXPECT_THAT(query, Not(HasSubstr("COUNT")));
}

// Graphs that share triples have more of them in sum than their union.
TEST_F(RemoteGraphTest, GraphsThatShareTriplesAreNotTakenForHidden) {
  for (const bool is_union : {true, false}) {
    make();
    env_.http().set_handler([is_union](const HttpRequest& request) -> Result<HttpResponse> {
      const std::string query = *percent_decoded(request.body);
      std::string body = numbers(0);
      if (query.find("ASK") != std::string::npos) {
        body = fmt::format(R"({{"head":{{}},"boolean":{}}})", is_union);
      } else if (query.find("GRAPH <http://g/a>") != std::string::npos) {
        body = R"({"head":{"vars":["s","p","o"]},"results":{"bindings":[{"s":{"type":"uri",)"
               R"("value":"http://a/s"},"p":{"type":"uri","value":"http://a/p"},)"
               R"("o":{"type":"literal","value":"1"}}]}})";
      } else if (query.find("GRAPH ?g") != std::string::npos) {
        body =
            R"({"head":{"vars":["g","n"]},"results":{"bindings":[)"
            R"({"g":{"type":"uri","value":"http://g/a"},"n":{"type":"literal","value":"100"}},)"
            R"({"g":{"type":"bnode","value":"b"},"n":{"type":"literal","value":"1"}},)"
            R"({"g":{"type":"uri","value":"http://g/ b"},"n":{"type":"literal","value":"9"}}]}})";
      } else if (query.find("(COUNT(*) AS ?n) { ?s ?p ?o }") != std::string::npos) {
        body = numbers(1, is_union ? 60 : 200);
      }
      return HttpResponse{200, {{"content-type", kJson}}, body};
    });
    const auto schema = *graph_->schema({});
    EXPECT_THAT(schema->graphs, ElementsAre(testing::Pair("http://g/a", 100U)));
    Rows rows;
    EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
    EXPECT_EQ(asked().back().find("FROM") == std::string::npos, is_union);
  }
}

TEST_F(RemoteGraphTest, CountsThatTheServerCutAreNotComplete) {
  make();
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{200, {{"content-type", kJson}, {"x-sql-state", "S1TAT"}}, numbers(1, 5)};
  });
  const auto schema = *graph_->schema({});
  EXPECT_FALSE(schema->is_complete);
  EXPECT_THAT(schema->origin, HasSubstr("of which it gave a part"));
}

// Somebody with more time asks again.
TEST_F(RemoteGraphTest, WhatAHurriedCallLearntIsNotTakenForTheTruth) {
  make();
  env_.http().set_handler([this](const HttpRequest& request) -> Result<HttpResponse> {
    const std::string query = *percent_decoded(request.body);
    if (query.find("GRAPH ?g") == std::string::npos) {
      return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
    }
    env_.clock().advance(std::chrono::seconds(1));
    return Error{ErrorCode::LimitExceeded, "deadline passed"};
  });
  OpContext hurried;
  hurried.deadline = Deadline(env_.clock(), std::chrono::seconds(2));
  static_cast<void>(graph_->schema(hurried));
  ASSERT_NE(knowledge_->last_survey(), nullptr);
  EXPECT_TRUE(knowledge_->last_survey()->is_partial);
  env_.clock().advance(std::chrono::minutes(2));
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
  });
  ASSERT_TRUE(graph_->schema({}));
  EXPECT_FALSE(knowledge_->last_survey()->is_partial);
}

TEST_F(RemoteGraphTest, WhoWaitsForASurveyKeepsItsDeadline) {
  make();
  std::promise<void> is_asked;
  std::promise<void> may_answer;
  auto waits = may_answer.get_future().share();
  std::atomic<bool> is_first{true};
  env_.http().set_handler([&](const HttpRequest&) -> Result<HttpResponse> {
    if (is_first.exchange(false)) is_asked.set_value();
    waits.wait();
    return HttpResponse{200, {{"content-type", kJson}}, numbers(0)};
  });
  std::thread asker([this] { EXPECT_TRUE(graph_->schema({})); });
  is_asked.get_future().wait();
  OpContext late;
  late.deadline = Deadline(env_.clock(), Duration{0});
  EXPECT_EQ(graph_->schema(late).error().code, ErrorCode::LimitExceeded);
  may_answer.set_value();
  asker.join();
}

TEST_F(RemoteGraphTest, WhoDoesNotAnswerIsNotAskedAboutItselfAtOnce) {
  make();
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{401, {{"content-type", "text/plain"}}, "who are you?"};
  });
  EXPECT_FALSE(graph_->schema({}));
  const std::size_t first = asked().size();
  EXPECT_FALSE(graph_->schema({}));
  EXPECT_EQ(asked().size(), first);
  env_.clock().advance(std::chrono::minutes(1));
  EXPECT_FALSE(graph_->schema({}));
  EXPECT_GT(asked().size(), first);
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

// It says that everything takes too long: nothing is known then, not that it holds nothing.
TEST_F(RemoteGraphTest, WhoAnswersNoQuestionHasNoSchema) {
  make();
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{500, {{"content-type", "text/plain"}}, "Transaction timed out"};
  });
  EXPECT_FALSE(graph_->schema({}));
  EXPECT_EQ(knowledge_->last_survey(), nullptr);
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
  EXPECT_THAT(run.notes, testing::IsEmpty());
  EXPECT_THAT(rows.names, ElementsAre(".t"));
  EXPECT_THAT(rows.values, ElementsAre("0", "1"));
}

}  // namespace
}  // namespace helve::remote
