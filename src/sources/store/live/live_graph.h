// A store that changes, as tools see it: every call works on the state that is newest when it
// comes.
#pragma once

#include <functional>
#include <memory>

#include "base/env.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/service.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/local_graph.h"

namespace helve::store {

// Gives the newest state. Thread-safe, and quick while nothing changes.
using StateSource = std::function<std::shared_ptr<const LiveSnapshot>()>;

// Without `services`, SERVICE is refused.
std::shared_ptr<const GraphSource> make_live_graph(
    StateSource states, SourceInfo info, LocalFolder folder = {},
    std::shared_ptr<sparql::ServiceResolver> services = nullptr);

// Follows what other processes write into a folder: looks at most every 20 ms whether its log has
// grown or its base is another. Where the folder cannot be read any more, the last state stays.
Result<StateSource> follow_folder(const std::filesystem::path& folder,
                                  std::shared_ptr<const LiveSnapshot> first, Env& env = real_env());

}  // namespace helve::store
