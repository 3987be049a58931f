// A store as tools see it: GraphSource on a snapshot.
#pragma once

#include <memory>

#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/store/snapshot.h"

namespace helve::store {

Result<std::shared_ptr<const GraphSource>> make_local_graph(
    std::shared_ptr<const Snapshot> snapshot, SourceInfo info);

// Null for what is no graph of make_local_graph().
std::shared_ptr<const Snapshot> snapshot_of(const GraphSource& graph);

}  // namespace helve::store
