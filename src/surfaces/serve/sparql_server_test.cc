// The endpoint over a socket: paths, methods, who may ask, how many at once, leaving and stopping.
#include "surfaces/serve/sparql_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/check.h"
#include "surfaces/serve/served_graph_testing.h"
#include "tests/support/raw_client.h"

namespace helve::serve {
namespace {

using mcp::RawAnswer;
using mcp::RawClient;
using ::testing::HasSubstr;

constexpr std::string_view kToken = "0123456789abcdef";
// Takes longer than any test waits.
constexpr std::string_view kEndless =
    "SELECT (COUNT(*) AS ?all) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r . "
    "?s ?t ?u . ?v ?w ?x . ?y ?z ?aa . ?ab ?ac ?ad . ?ae ?af ?ag . ?ah ?ai ?aj . ?ak ?al ?am }";

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

class Harness {
 public:
  explicit Harness(ServeOptions options = {}, ServedGraph graph = served()) {
    auto started = SparqlServer::start(std::move(options), std::move(graph));
    HELVE_CHECK(started.has_value());
    server = *std::move(started);
  }

  std::string request(std::string_view method, std::string_view target,
                      std::string_view headers = {}, std::string_view body = {}) const {
    std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: localhost:{}\r\n{}", method, target,
                                  server->port(), headers);
    if (!body.empty()) out += fmt::format("Content-Length: {}\r\n", body.size());
    return out + "\r\n" + std::string(body);
  }
  std::string query(std::string_view text, std::string_view headers = {}) const {
    return request("POST", "/sparql",
                   fmt::format("Content-Type: application/sparql-query\r\n{}", headers), text);
  }
  RawAnswer ask(std::string_view bytes) const {
    RawClient client(server->port());
    return client.ask(bytes);
  }
  RawAnswer get(std::string_view target, std::string_view headers = {}) const {
    return ask(request("GET", target, headers));
  }

  std::unique_ptr<SparqlServer> server;
};

TEST(SparqlServer, PathsAndMethods) {
  const Harness harness;
  EXPECT_EQ(harness.get("/sparql?query=ASK%7B%7D").status, 200);
  EXPECT_EQ(harness.get("/sparql").header("content-type"), "text/turtle; charset=utf-8");
  EXPECT_EQ(harness.get("/.well-known/void").status, 200);
  EXPECT_EQ(harness.get("/healthz").body, "ok");
  for (const char* path : {"/", "/sparql/", "/SPARQL", "/update", "/sparql/../healthz", "*"}) {
    EXPECT_EQ(harness.get(path).status, 404) << path;
  }
  const auto status = [&](std::string_view method, std::string_view path) {
    return harness.ask(harness.request(method, path)).status;
  };
  EXPECT_EQ(status("PUT", "/sparql"), 405);
  EXPECT_EQ(status("DELETE", "/sparql"), 405);
  EXPECT_EQ(status("POST", "/.well-known/void"), 405);
  EXPECT_EQ(status("POST", "/healthz"), 405);
  EXPECT_EQ(status("POST", "/sparql"), 415);
}

TEST(SparqlServer, AnswersAreWholeAndConnectionsStay) {
  const Harness harness;
  RawClient client(harness.server->port());
  for (int i = 0; i < 3; ++i) {
    const RawAnswer answer =
        client.ask(harness.query("SELECT ?n { zoo:leo zoo:name ?n }", "Accept: text/csv\r\n"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "n\r\nLeo\r\n");
    EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  }
  const RawAnswer wrong = client.ask(harness.query("SELECT ?n {"));
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.header("content-type"), "text/plain; charset=utf-8");
  EXPECT_THAT(wrong.body, HasSubstr("query:1:"));
  EXPECT_EQ(client.ask(harness.query("ASK {}")).status, 200);
}

// Rows that were found are not kept until the rest is there: this rest never comes.
TEST(SparqlServer, RowsComeBeforeTheQueryEnds) {
  const Harness harness;
  const std::string text =
      fmt::format("SELECT ?all {{ {{ VALUES ?all {{ \"first\" }} }} UNION {{ {} }} }}", kEndless);
  for (const char* headers : {"", "Accept: text/csv\r\n", "Accept-Encoding: gzip\r\n"}) {
    RawClient client(harness.server->port());
    client.send(harness.query(text, headers));
    const bool is_packed = std::string_view(headers).find("gzip") != std::string_view::npos;
    EXPECT_TRUE(client.receives(is_packed ? "\x1F\x8B" : "first")) << headers;
    EXPECT_TRUE(client.receives("HTTP/1.1 200 OK\r\n"));
  }
}

// A status is not given away before there is a row.
TEST(SparqlServer, WhatFindsNothingInTimeIsRefusedWhole) {
  ServeOptions options;
  options.timeout = std::chrono::seconds(1);
  const Harness harness(std::move(options));
  EXPECT_EQ(harness.ask(harness.query(kEndless)).status, 504);
}

TEST(SparqlServer, AnEmptyGraphHasItsType) {
  const Harness harness;
  const RawAnswer answer = harness.ask(
      harness.query("CONSTRUCT WHERE { ?s zoo:flies ?o }", "Accept: application/n-triples\r\n"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/n-triples");
  EXPECT_EQ(answer.body, "");
}

TEST(SparqlServer, AHeadHasNoBody) {
  const Harness harness;
  RawClient client(harness.server->port());
  client.send(harness.request("HEAD", "/sparql?query=SELECT*%7B%3Fs+%3Fp+%3Fo%7D"));
  const RawAnswer head = client.receive(false);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-type"), "application/sparql-results+json");
  EXPECT_EQ(head.header("content-length"), "");
  client.send(harness.request("HEAD", "/sparql?query=SELECT"));
  EXPECT_EQ(client.receive(false).status, 400);
  EXPECT_EQ(client.ask(harness.request("GET", "/healthz")).body, "ok");
}

TEST(SparqlServer, ForeignHostsAndOriginsAreRefused) {
  const Harness harness;
  EXPECT_EQ(harness.ask("GET /sparql HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(harness.ask("GET /healthz HTTP/1.1\r\n\r\n").status, 400);
  const RawAnswer foreign = harness.get("/sparql", "Origin: http://evil.example\r\n");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_EQ(foreign.header("access-control-allow-origin"), "");
  const RawAnswer local = harness.get("/sparql", "Origin: http://localhost:3000\r\n");
  EXPECT_EQ(local.status, 200);
  EXPECT_EQ(local.header("access-control-allow-origin"), "") << "off unless it is asked for";
  const RawAnswer preflight =
      harness.ask(harness.request("OPTIONS", "/sparql", "Origin: http://localhost:3000\r\n"));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(preflight.header("access-control-allow-methods"), "");
}

TEST(SparqlServer, PagesThatAreNamedMayReadAnswers) {
  ServeOptions options;
  options.cors_origins = {"https://App.example"};
  const Harness harness(options);
  const std::string_view origin = "Origin: https://app.example\r\n";
  EXPECT_EQ(harness.get("/sparql?query=ASK%7B%7D", origin).header("access-control-allow-origin"),
            "https://app.example");
  EXPECT_EQ(harness.get("/sparql?query=A", origin).header("access-control-allow-origin"),
            "https://app.example");
  const RawAnswer preflight = harness.ask(harness.request("OPTIONS", "/sparql", origin));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_THAT(preflight.header("access-control-allow-headers"), HasSubstr("authorization"));
  EXPECT_EQ(harness.get("/sparql", "Origin: https://app.example.evil\r\n").status, 403);
  const RawAnswer local = harness.get("/sparql", "Origin: http://localhost\r\n");
  EXPECT_EQ(local.header("access-control-allow-origin"), "");
}

TEST(SparqlServer, ATokenIsNeededWhereThereIsOne) {
  ServeOptions options;
  options.token = kToken;
  const Harness harness(options);
  EXPECT_EQ(harness.get("/sparql").header("www-authenticate"), "Bearer realm=\"helve\"");
  EXPECT_EQ(harness.get("/sparql?query=ASK%7B%7D").status, 401);
  EXPECT_EQ(harness.get("/.well-known/void").status, 401);
  EXPECT_EQ(harness.get("/nowhere").status, 401);
  EXPECT_EQ(harness.get("/sparql", "Authorization: Bearer wrong\r\n").status, 401);
  EXPECT_EQ(harness.get("/healthz").status, 200);
  EXPECT_EQ(harness.get("/sparql", fmt::format("Authorization: Bearer {}\r\n", kToken)).status,
            200);
}

TEST(SparqlServer, AnotherAddressNeedsAToken) {
  ServeOptions options;
  options.host = "0.0.0.0";
  const auto refused = SparqlServer::start(options, served());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
  EXPECT_THAT(refused.error().hint, HasSubstr("--token"));
  options.token = kToken;
  EXPECT_TRUE(SparqlServer::start(options, served()).has_value());
}

TEST(SparqlServer, MoreThanItRunsAtOnceIsToldBusyAndLeavingFreesThePlace) {
  ServeOptions options;
  options.queries_max = 1;
  options.timeout = std::chrono::hours(1);
  const Harness harness(options);
  RawClient slow(harness.server->port());
  ASSERT_TRUE(slow.send(harness.query(kEndless)));
  RawAnswer busy;
  ASSERT_TRUE(eventually([&] {
    busy = harness.ask(harness.query("ASK {}"));
    return busy.status == 503;
  }));
  EXPECT_EQ(busy.header("retry-after"), "1");
  EXPECT_EQ(harness.get("/healthz").status, 200);
  slow.close();
  EXPECT_TRUE(eventually([&] { return harness.ask(harness.query("ASK {}")).status == 200; }));
}

TEST(SparqlServer, TheParameterTimeoutShortensTheServers) {
  ServeOptions options;
  options.timeout = std::chrono::hours(1);
  const Harness harness(options);
  const RawAnswer late = harness.ask(harness.request(
      "POST", "/sparql?timeout=20ms", "Content-Type: application/sparql-query\r\n", kEndless));
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.body, HasSubstr("longer than it may"));
}

TEST(SparqlServer, TheServersTimeoutIsTheLongest) {
  ServeOptions options;
  options.timeout = std::chrono::milliseconds(20);
  const Harness harness(options);
  EXPECT_EQ(harness
                .ask(harness.request("POST", "/sparql?timeout=3600s",
                                     "Content-Type: application/sparql-query\r\n", kEndless))
                .status,
            504);
}

TEST(SparqlServer, StoppingCancelsWhatDoesNotEnd) {
  ServeOptions options;
  options.timeout = std::chrono::hours(1);
  Harness harness(options);
  RawClient client(harness.server->port());
  ASSERT_TRUE(client.send(harness.query(kEndless)));
  harness.server->stop(std::chrono::milliseconds(100));
  const RawAnswer answer = client.receive();
  EXPECT_TRUE(answer.status == 503 || answer.status == 0) << answer.status;
}

// A result that is far larger than what may wait for a client, none of which is read.
TEST(SparqlServer, AClientThatDoesNotReadIsCutWhenItsTimeIsUp) {
  ServeOptions options;
  options.queries_max = 1;
  options.timeout = std::chrono::seconds(2);
  const Harness harness(options);
  RawClient client(harness.server->port(), 4'096);
  ASSERT_TRUE(client.send(harness.query(
      "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r }")));
  const RawAnswer head = client.receive(false);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("transfer-encoding"), "chunked");
  EXPECT_TRUE(eventually([&] { return harness.ask(harness.query("ASK {}")).status == 200; }));
}

}  // namespace
}  // namespace helve::serve
