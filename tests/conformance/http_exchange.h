// HttpExchange: a request of a protocol test, and what must come back, as manifests write it: in
// the W3C's vocabulary for HTTP, or as a text with the headings Request and Response.
// https://www.w3.org/TR/HTTP-in-RDF10/
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tests/conformance/manifest.h"

namespace helve::conformance {

struct HttpExchange {
  std::string method;
  std::string target;
  std::string host;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // Of the answer.
  std::function<bool(int)> is_expected;      // the status
  std::string expected_format;               // "boolean", "tabular", "RDF"; empty: any
  std::optional<bool> expected_boolean;      // of ASK
  std::string expected_type;                 // Content-Type; empty: any
  std::optional<std::string> expected_body;  // a graph in Turtle
  std::string location_name;                 // what the header Location is called in what follows
};

inline constexpr std::string_view kHttp = "http://www.w3.org/2011/http#";

// Of mf:action, an ht:Connection.
Result<std::vector<HttpExchange>> read_exchanges(const Manifest& manifest, const TestCase& test);

// Of the rdfs:comment of a test that has no action. `place` stands for $GRAPHSTORE$, `host` for
// $HOST$. Any success will do where one is expected: which it is, the protocol leaves open.
Result<HttpExchange> read_exchange_text(const Manifest& manifest, const TestCase& test,
                                        const std::string& host, const std::string& place);

// "/sparql/?x" with the path below which the server has it.
std::string with_path(std::string_view target, std::string_view written, std::string_view served);
std::string replace_all(std::string text, std::string_view old, std::string_view by);

}  // namespace helve::conformance
