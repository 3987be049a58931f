// Following a folder that another process writes: the newest state for every call, at the cost of
// what is new. live_graph.h makes a source of it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

struct NewestState {
  std::shared_ptr<const LiveSnapshot> snapshot;
  std::optional<Staleness> staleness = std::nullopt;  // why it is not the newest there is
};

// Gives the newest state, within the context. Thread-safe, and quick while nothing changes.
using StateSource = std::function<NewestState(const OpContext& context)>;

// Looks at every call whether the log of a folder has grown, of which only the new records are
// read, or its base is another: what was acknowledged to a writer is seen. One call reads, within
// half of its time, and others wait for it within half of theirs: where that is not enough, or the
// folder cannot be read, the last state goes on being served and is told to be stale.
// REQUIRES: `first` was opened from the folder, and is followed once.
Result<StateSource> follow_folder(const std::filesystem::path& folder,
                                  std::shared_ptr<const LiveSnapshot> first, Env& env = real_env());

}  // namespace helve::store
