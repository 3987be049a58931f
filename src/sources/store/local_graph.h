// A store as tools see it: GraphSource on a snapshot.
#pragma once

#include <filesystem>
#include <memory>

#include "base/env.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/service.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Where a snapshot lies on disk, if it does: what is made of it is kept there too, where that can
// be written.
struct LocalFolder {
  std::filesystem::path path;  // empty: it lies in memory
  Env* env = nullptr;          // null: the real machine; must outlive the graph
};

// Without `services`, SERVICE is refused.
Result<std::shared_ptr<const GraphSource>> make_local_graph(
    std::shared_ptr<const Snapshot> snapshot, SourceInfo info, LocalFolder folder = {},
    std::shared_ptr<sparql::ServiceResolver> services = nullptr);

// Null for what is no graph of make_local_graph().
std::shared_ptr<const Snapshot> snapshot_of(const GraphSource& graph);

}  // namespace helve::store
