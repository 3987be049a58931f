#include "tests/conformance/test_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/env.h"
#include "sources/rdf/isomorphism.h"
#include "sources/store/live/live_store.h"
#include "surfaces/serve/live_graph.h"

namespace helve::conformance {

namespace {

constexpr std::string_view kToken = "a-token-of-the-tests";

Error wrong(const HttpExchange& exchange, const mcp::RawAnswer& answer, std::string_view what) {
  return {ErrorCode::InvalidInput, fmt::format("{} {}: {}: {} {}", exchange.method, exchange.target,
                                               what, answer.status, answer.body.substr(0, 300))};
}

bool is_format(std::string_view format, std::string_view media_type) {
  constexpr std::array<std::string_view, 4> kRows = {"application/sparql-results+json",
                                                     "application/sparql-results+xml", "text/csv",
                                                     "text/tab-separated-values"};
  constexpr std::array<std::string_view, 5> kGraphs = {"text/turtle", "application/n-triples",
                                                       "application/rdf+xml", "application/trig",
                                                       "application/n-quads"};
  if (format == "RDF") {
    return std::find(kGraphs.begin(), kGraphs.end(), media_type) != kGraphs.end();
  }
  return std::find(kRows.begin(), kRows.end(), media_type) != kRows.end();
}

Result<rdf::QuadSet> read_turtle(const std::string& text, std::string name) {
  rdf::QuadSet graph;
  rdf::ReadOptions options;
  options.document_name = std::move(name);
  HELVE_TRY(rdf::read_document(rdf::Format::Turtle, text, options, {}, graph));
  return graph;
}

Result<void> check_graph(const HttpExchange& exchange, const mcp::RawAnswer& answer) {
  HELVE_ASSIGN(const rdf::QuadSet expected, read_turtle(*exchange.expected_body, "expected"));
  HELVE_ASSIGN(const rdf::QuadSet met, read_turtle(answer.body, "answer"));
  HELVE_ASSIGN(const bool is_same, rdf::are_isomorphic(expected, met));
  if (is_same) return {};
  return wrong(exchange, answer, "another graph than expected");
}

}  // namespace

Result<std::unique_ptr<TestServer>> TestServer::start(const TestData& data) {
  HELVE_ASSIGN(const auto base, data.make_snapshot());
  HELVE_ASSIGN(const auto store, store::LiveStore::in_memory(base));
  serve::ServeOptions options;
  options.write_token = kToken;
  options.allowed_hosts = {std::string(kTestHost)};
  serve::ServedGraph graph;
  graph.env = &real_env();
  graph.writer = serve::make_live_graph(store);
  graph.is_strict = true;
  HELVE_ASSIGN(auto server, serve::SparqlServer::start(std::move(options), std::move(graph)));
  return std::unique_ptr<TestServer>(new TestServer(std::move(server)));
}

mcp::RawAnswer TestServer::ask(const HttpExchange& exchange) const {
  std::string bytes = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n",
                                  exchange.method, exchange.target, exchange.host, kToken);
  for (const auto& [name, value] : exchange.headers)
    bytes += fmt::format("{}: {}\r\n", name, value);
  if (!exchange.body.empty()) bytes += fmt::format("Content-Length: {}\r\n", exchange.body.size());
  mcp::RawClient client(server_->port());
  client.send(bytes + "\r\n" + exchange.body);
  return client.receive(exchange.method != "HEAD");
}

mcp::RawAnswer TestServer::describe(const std::string& accept) const {
  HttpExchange exchange;
  exchange.method = "GET";
  exchange.target = "/sparql";
  exchange.host = kTestHost;
  exchange.headers.emplace_back("Accept", accept);
  return ask(exchange);
}

Result<void> TestServer::check(HttpExchange exchange) {
  for (const auto& [name, value] : locations_) {
    exchange.target = replace_all(std::move(exchange.target), name, value);
    exchange.body = replace_all(std::move(exchange.body), name, value);
  }
  // A target that is an address is asked by its path.
  exchange.target = with_path(exchange.target, fmt::format("http://{}/", exchange.host), "/");
  const mcp::RawAnswer answer = ask(exchange);
  if (!exchange.is_expected(answer.status)) return wrong(exchange, answer, "unexpected status");
  const std::string type = answer.header("content-type");
  if (!exchange.expected_format.empty() &&
      !is_format(exchange.expected_format, type.substr(0, type.find(';')))) {
    return wrong(exchange, answer, fmt::format("unexpected format {}", type));
  }
  if (!exchange.expected_type.empty() && type != exchange.expected_type) {
    return wrong(exchange, answer, fmt::format("unexpected Content-Type {}", type));
  }
  if (exchange.expected_boolean) {
    const std::string_view boolean = *exchange.expected_boolean ? "true" : "false";
    if (answer.body.find(fmt::format("\"boolean\":{}", boolean)) == std::string::npos) {
      return wrong(exchange, answer, "another boolean than expected");
    }
  }
  if (!exchange.location_name.empty()) {
    if (answer.header("location").empty()) return wrong(exchange, answer, "no Location");
    locations_.emplace_back(exchange.location_name, answer.header("location"));
  }
  return exchange.expected_body ? check_graph(exchange, answer) : Result<void>();
}

}  // namespace helve::conformance
