// What is learnt of an endpoint, as RemoteGraph has it learnt.
#include "sources/remote/endpoint_survey.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/percent.h"
#include "sources/remote/endpoint_probe.h"
#include "sources/remote/remote_graph_testing.h"

namespace helve::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class EndpointSurveyTest : public RemoteGraphTest {};

TEST_F(EndpointSurveyTest, TheSchemaComesFromVoidWhereThereIsOne) {
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

TEST_F(EndpointSurveyTest, AllGraphsAreAskedWhereTheDefaultIsOneOfThem) {
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

TEST_F(EndpointSurveyTest, TheSchemaIsThatOfTheGraphsThatAreAsked) {
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

TEST_F(EndpointSurveyTest, TheUnnamedGraphIsAskedTooWhereItCanBeNamed) {
  make();
  env_.http().set_handler(GraphsOfEndpoint(10, {{"http://g/1", 90}}));
  EXPECT_EQ((*graph_->schema({}))->triples, 100U);
  Rows rows;
  EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), HasSubstr("FROM <urn:x-arq:DefaultGraph>"));
  EXPECT_THAT(asked().back(), Not(HasSubstr("FROM NAMED <urn:x-arq:DefaultGraph>")));
}

TEST_F(EndpointSurveyTest, WhatVirtuosoKeepsForItselfIsNotData) {
  make();
  const std::string own = "http://www.openlinksw.com/schemas/virtrdf#";
  env_.http().set_handler(
      GraphsOfEndpoint(102, {{own, 9}, {"http://g/1", 90}, {"http://www.w3.org/ns/ldp#", 3}}));
  const auto schema = *graph_->schema({});
  EXPECT_EQ(schema->triples, 90U);
  EXPECT_THAT(schema->graphs, ElementsAre(::testing::Pair("http://g/1", 90U)));
  Rows rows;
  EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
  EXPECT_THAT(asked().back(), HasSubstr("FROM <http://g/1>"));
  EXPECT_THAT(asked().back(), Not(HasSubstr(own)));
  EXPECT_THAT(asked().back(), Not(HasSubstr("x-arq")));
}

TEST_F(EndpointSurveyTest, GraphsOfALargeEndpointAreLookedIntoByOneTriple) {
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
TEST_F(EndpointSurveyTest, NoMoreThanAHundredGraphsAreNamed) {
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
TEST_F(EndpointSurveyTest, PrefixesAreThoseOfTheData) {
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
  EXPECT_THAT(graph_->prefixes(), ElementsAre(::testing::Pair("up", "http://e/core/"),
                                              ::testing::Pair("upcore", "http://e/core/"),
                                              ::testing::Pair("foaf", "http://e/other/")));
  ASSERT_EQ(schema->namespaces.size(), 2U);
  EXPECT_EQ(schema->namespaces[0].prefix, "up");
  EXPECT_EQ(schema->namespaces[1].prefix, "");
}

TEST_F(EndpointSurveyTest, AnEndpointThatIsDownHasNoSchema) {
  make();
  const auto schema = graph_->schema({});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::Unavailable);
}

// Ten questions at most, and the profile has what they showed.
TEST_F(EndpointSurveyTest, ProbesAreFewAndKept) {
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

TEST_F(EndpointSurveyTest, WhoDoesNotAnswerIsProbedOnce) {
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
TEST_F(EndpointSurveyTest, LargeOnesAreNotCounted) {
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
TEST_F(EndpointSurveyTest, GraphsThatShareTriplesAreNotTakenForHidden) {
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
    EXPECT_THAT(schema->graphs, ElementsAre(::testing::Pair("http://g/a", 100U)));
    Rows rows;
    EXPECT_FALSE(select("SELECT ?x { ?x ?p ?o }", rows).error);
    EXPECT_EQ(asked().back().find("FROM") == std::string::npos, is_union);
  }
}

TEST_F(EndpointSurveyTest, CountsThatTheServerCutAreNotComplete) {
  make();
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{200, {{"content-type", kJson}, {"x-sql-state", "S1TAT"}}, numbers(1, 5)};
  });
  const auto schema = *graph_->schema({});
  EXPECT_FALSE(schema->is_complete);
  EXPECT_THAT(schema->origin, HasSubstr("of which it gave a part"));
}

// Somebody with more time asks again.
TEST_F(EndpointSurveyTest, WhatAHurriedCallLearntIsNotTakenForTheTruth) {
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

TEST_F(EndpointSurveyTest, WhoWaitsForASurveyKeepsItsDeadline) {
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

TEST_F(EndpointSurveyTest, WhoDoesNotAnswerIsNotAskedAboutItselfAtOnce) {
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

// It says that everything takes too long: nothing is known then, not that it holds nothing.
TEST_F(EndpointSurveyTest, WhoAnswersNoQuestionHasNoSchema) {
  make();
  env_.http().set_handler([](const HttpRequest&) -> Result<HttpResponse> {
    return HttpResponse{500, {{"content-type", "text/plain"}}, "Transaction timed out"};
  });
  EXPECT_FALSE(graph_->schema({}));
  EXPECT_EQ(knowledge_->last_survey(), nullptr);
}

}  // namespace
}  // namespace helve::remote
