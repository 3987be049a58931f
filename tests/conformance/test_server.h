// TestServer: a writable SPARQL endpoint on this machine for the length of a protocol test, and its
// client.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "surfaces/serve/sparql_server.h"
#include "tests/conformance/http_exchange.h"
#include "tests/conformance/sparql_data.h"
#include "tests/support/raw_client.h"

namespace helve::conformance {

inline constexpr std::string_view kTestHost = "www.example";

class TestServer {
 public:
  static Result<std::unique_ptr<TestServer>> start(const TestData& data);

  // Asks, and says what is not as it must be. Names of locations are replaced by those that came
  // before.
  Result<void> check(HttpExchange exchange);
  // A GET of the endpoint's description.
  mcp::RawAnswer describe(const std::string& accept) const;

 private:
  explicit TestServer(std::unique_ptr<serve::SparqlServer> server) : server_(std::move(server)) {}
  mcp::RawAnswer ask(const HttpExchange& exchange) const;

  std::unique_ptr<serve::SparqlServer> server_;
  std::vector<std::pair<std::string, std::string>> locations_;  // name and value
};

}  // namespace helve::conformance
