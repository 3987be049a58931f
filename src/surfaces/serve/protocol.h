// The SPARQL 1.1 Protocol: what a request asks for, before anything is run. The protocol of graph
// stores is in graph_store_protocol.h. https://www.w3.org/TR/sparql11-protocol/
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sources/sparql/algebra/query.h"

namespace helve::serve {

using Headers = std::vector<std::pair<std::string, std::string>>;

// What a client is told instead of an answer.
struct Refusal {
  int status = 400;
  std::string text;
  Headers headers = {};
};

// A message, and on a line of its own what to do about it.
Refusal refuse(int status, std::string_view message, std::string_view hint);

// "query:1:7: expected ...", and on a line of its own what to do about it. Without secrets.
std::string text_of(const Error& error);

// A request as HTTP has it. HEAD is asked as GET.
struct WebCall {
  std::string_view method;
  std::string_view query;  // of the target, behind the '?'
  std::optional<std::string_view> content_type;
  std::string_view body;
  bool is_writable = false;  // the endpoint takes updates
};

struct QueryCall {
  std::string text;
  std::vector<sparql::DatasetGraph> dataset;  // default-graph-uri, named-graph-uri
  std::optional<Duration> timeout;
  std::string base_iri = {};  // what relative IRIs are resolved against: the endpoint's address
};
struct UpdateCall {
  std::string text;
  std::vector<sparql::DatasetGraph> using_graphs;  // using-graph-uri, using-named-graph-uri
  std::optional<Duration> timeout;
  std::string base_iri = {};
};
// The description of the service: a GET that asks nothing.
struct DescriptionCall {};

using ProtocolCall = std::variant<QueryCall, UpdateCall, DescriptionCall, Refusal>;

ProtocolCall read_call(const WebCall& call);

// The value of a parameter in an address or a form; nullopt: a '%' without its two digits.
std::optional<std::string> decode_parameter(std::string_view text);
// An IRI with its scheme, without characters that no IRI has.
bool is_absolute_iri(std::string_view text);

// "500ms", "2s", "1.5"; without a unit, seconds. nullopt: nothing of this form, or not above 0.
std::optional<Duration> read_timeout(std::string_view text);

}  // namespace helve::serve
