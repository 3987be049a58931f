// RequestDocument: the body of a request as a document of RDF: unpacked, its format told by its
// type, the parts of a form as one.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "sources/rdf/document.h"
#include "surfaces/serve/graph_store_protocol.h"

namespace helve::serve {

// Neither copied nor moved: what it opens points into it, and into the body of the call.
class RequestDocument {
 public:
  // `graph` is the one that is written; empty: the default graph.
  RequestDocument(const GraphCall& call, std::string graph, std::string base_iri,
                  const OpContext& op);
  RequestDocument(const RequestDocument&) = delete;
  RequestDocument& operator=(const RequestDocument&) = delete;

  // 415: types, encodings and packings that are not read. 413: more than it may become. 400: what
  // is broken, or has statements of other graphs.
  std::variant<rdf::Document, Refusal> open();

 private:
  std::optional<Refusal> unpack();
  std::variant<rdf::Document, Refusal> open_parts(std::string_view boundary);

  const GraphCall& call_;
  const std::string graph_;
  const std::string base_iri_;
  const OpContext& op_;
  MemoryCharge charge_;
  std::string_view text_;
  std::string unpacked_;
  std::string joined_;
};

}  // namespace helve::serve
