// LiveGraph: a store that changes (sources/store/live) as the endpoint writes it, or follows it
// where another process does.
#pragma once

#include <memory>

#include "sources/source.h"
#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_store.h"
#include "surfaces/serve/graph_writer.h"

namespace helve::serve {

// Gives the newest state as the endpoint takes it; `info` is for its schema. Thread-safe.
StateReader follow_states(store::StateSource states, SourceInfo info = {});

// Keeps the store open. `info` is for the schema of the store; without `load`, LOAD is refused.
std::shared_ptr<GraphWriter> make_live_graph(const std::shared_ptr<store::LiveStore>& store,
                                             SourceInfo info = {}, store::DocumentLoader load = {});

}  // namespace helve::serve
