#include "surfaces/serve/graph_store_protocol.h"

#include <fmt/format.h>

namespace helve::serve {

namespace {

using Named = std::variant<GraphCall, Refusal>;

std::optional<GraphMethod> method_of(const GraphWebCall& call) {
  if (call.method == "GET" || call.method == "HEAD") return GraphMethod::Read;
  if (!call.is_writable) return std::nullopt;
  if (call.method == "PUT") return GraphMethod::Replace;
  if (call.method == "POST") return GraphMethod::Merge;
  if (call.method == "DELETE") return GraphMethod::Drop;
  return std::nullopt;
}

Refusal refuse_graph_method(const GraphWebCall& call) {
  Refusal refusal = refuse(405, fmt::format("the method {} does nothing here", call.method),
                           call.is_writable ? "read graphs with GET, write them with PUT, POST and "
                                              "DELETE"
                                            : "this server is read-only: graphs are read with GET");
  refusal.headers.emplace_back("Allow", graph_methods(call.is_writable));
  return refusal;
}

// What the parameters name.
struct Names {
  bool is_default = false;
  std::optional<std::string> graph;
};

std::optional<Refusal> take_parameter(std::string_view pair, Names& names, GraphCall& call) {
  const std::size_t equals = pair.find('=');
  const std::string_view name = pair.substr(0, equals);
  const auto value = decode_parameter(equals == std::string_view::npos ? std::string_view{}
                                                                       : pair.substr(equals + 1));
  if (!value) {
    return refuse(400, "a parameter has a '%' without two hexadecimal digits behind it",
                  "encode the whole value: % itself is %25");
  }
  if (name == "default") {
    names.is_default = true;
  } else if (name == "timeout") {
    call.timeout = read_timeout(*value);
    if (!call.timeout) {
      return refuse(400, "the parameter timeout is no time",
                    "write 500ms, 2s or 2, which is seconds");
    }
  } else if (name == "graph") {
    if (names.graph) return refuse(400, "two graphs are named", "name one");
    if (!is_absolute_iri(*value)) {
      return refuse(400, "the parameter graph is no absolute IRI",
                    "write it whole, as http://example.org/graph, percent-encoded");
    }
    names.graph = *value;
  }
  return std::nullopt;
}

std::optional<Refusal> read_names(std::string_view query, Names& names, GraphCall& call) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    if (auto refusal = take_parameter(query.substr(0, end), names, call)) return refusal;
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
  }
  if (!names.is_default || !names.graph) return std::nullopt;
  return refuse(400, "the default graph and another one are named", "name one of them");
}

}  // namespace

std::string_view graph_methods(bool is_writable) {
  return is_writable ? "GET, HEAD, PUT, POST, DELETE, OPTIONS" : "GET, HEAD, OPTIONS";
}

Named read_graph_call(const GraphWebCall& web) {
  GraphCall call;
  call.origin = web.origin;
  const auto method = method_of(web);
  if (!method) return refuse_graph_method(web);
  call.method = *method;
  Names names;
  if (auto refusal = read_names(web.query, names, call)) return *std::move(refusal);
  const bool is_direct = web.path.size() > kGraphsPath.size() + 1;
  if (is_direct) {
    if (names.is_default || names.graph) {
      return refuse(400, "the address and a parameter both name a graph",
                    fmt::format("ask {} with the parameter", kGraphsPath));
    }
    call.graph = fmt::format("{}{}", web.origin, web.path);
    if (is_absolute_iri(call.graph)) return call;
    return refuse(400, "the address is no IRI, which it must be to name a graph",
                  "percent-encode what no IRI can have");
  }
  call.graph = names.graph.value_or("");
  if (names.is_default || names.graph) return call;
  call.is_new = call.method == GraphMethod::Merge;
  if (call.is_new) return call;
  return refuse(400, "no graph is named",
                fmt::format("ask {0}?default, {0}?graph=IRI, or the address of a graph below {0}/",
                            kGraphsPath));
}

}  // namespace helve::serve
