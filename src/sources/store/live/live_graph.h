// A store that changes, as tools see it: every call works on the state that is newest when it
// comes.
#pragma once

#include <memory>

#include "sources/graph_source.h"
#include "sources/sparql/engine/service.h"
#include "sources/store/live/follow_folder.h"
#include "sources/store/local_graph.h"

namespace helve::store {

// Without `services`, SERVICE is refused.
std::shared_ptr<const GraphSource> make_live_graph(
    StateSource states, SourceInfo info, LocalFolder folder = {},
    std::shared_ptr<sparql::ServiceResolver> services = nullptr);

// What is asked of it now, or in its one moment. Null for what is no graph of make_live_graph().
std::shared_ptr<const LiveSnapshot> live_snapshot_of(const GraphSource& graph);

}  // namespace helve::store
