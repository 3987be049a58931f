// ServedGraph: the data behind the endpoint and how it is asked. One for the life of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::serve {

struct ServedGraph {
  std::shared_ptr<const sparql::Snapshot> data;
  std::shared_ptr<const GraphSource> source;  // the same, for its schema
  bool is_union = false;                      // the default graph is all graphs as one
  bool is_strict = false;                     // prefixes must be declared in the query
  std::optional<std::uint64_t> rows_max;      // of an answer, or statements
  Env* env = nullptr;                         // outlives it
  OpContext op;                               // memory, limits and cores that queries share
};

}  // namespace helve::serve
