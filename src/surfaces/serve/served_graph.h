// ServedGraph: the data behind the endpoint and how it is asked. One for the life of a server, of
// which every request takes the newest state once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/dataset.h"
#include "surfaces/serve/graph_writer.h"

namespace helve::serve {

struct ServedGraph {
  std::shared_ptr<const sparql::Snapshot> data;
  std::shared_ptr<const GraphSource> source;  // the same, for its schema
  bool is_union = false;                      // the default graph is all graphs as one
  bool is_strict = false;                     // prefixes must be declared in the query
  std::optional<std::uint64_t> rows_max;      // of an answer, or statements
  Env* env = nullptr;                         // outlives it
  OpContext op;                               // memory, limits and cores that queries share

  std::shared_ptr<GraphWriter> writer;   // null: it is not written here
  StateReader states;                    // what others write; empty: nothing changes
  std::optional<std::uint64_t> version;  // of `data`, where it changes
  std::string fingerprint;               // the same

  bool is_writable() const { return writer != nullptr; }
  // As it is now, for one request.
  ServedGraph newest(const OpContext& context) const {
    ServedGraph now = *this;
    if (writer == nullptr && !states) return now;
    GraphState state = writer != nullptr ? writer->state() : states(context);
    now.data = std::move(state.data);
    now.source = std::move(state.source);
    now.version = state.version;
    now.fingerprint = std::move(state.fingerprint);
    return now;
  }
};

}  // namespace helve::serve
