// The SPARQL 1.1 Graph Store HTTP Protocol: which graph a request is about, and what it does to it.
// answer_graph.cc does it. https://www.w3.org/TR/sparql11-http-rdf-update/
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "surfaces/serve/answer.h"
#include "surfaces/serve/protocol.h"

namespace helve::serve {

enum class GraphMethod : std::uint8_t { Read, Replace, Merge, Drop };

struct GraphCall {
  GraphMethod method = GraphMethod::Read;
  std::string graph;    // empty: the default graph, or a new one
  bool is_new = false;  // POST to the store itself: a name is made up
  std::string origin;   // where the server was asked
  std::optional<Duration> timeout;

  // Of the body; its text lives as long as the call.
  std::string content_type;
  std::string content_encoding;
  std::string body;

  std::string if_match;  // empty: not there
  std::string if_none_match;
};

// A request below kGraphsPath as HTTP has it; the rest of a GraphCall is copied from its headers.
struct GraphWebCall {
  std::string_view method;
  std::string_view path;
  std::string_view query;  // of the target, behind the '?'
  std::string_view origin;
  bool is_writable = false;
};

std::variant<GraphCall, Refusal> read_graph_call(const GraphWebCall& call);

// REQUIRES: the graph is writable, or the call reads.
Answered answer_graph(const GraphCall& call, const ServedGraph& graph, const AnswerWishes& wishes,
                      const OpContext& op, AnswerOut& out);

// What a graph store lets a client do.
std::string_view graph_methods(bool is_writable);

}  // namespace helve::serve
