// A folder as readers see it while another process may write it: how a state is read on from
// without reading all that led to it. live_store.h has how the first one is opened.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

struct ReadOn {
  std::shared_ptr<const LiveSnapshot> state;  // that it was read on from, where nothing is new
  bool is_all = true;  // false: a writer is at work on more, which may yet fail
};

// What the log of the folder has more than a state that was read from it; only that is read and
// applied. nullopt where the state cannot be read on from: the log is gone, or another.
// REQUIRES: the folder has the base of the state, and nobody else reads on from it.
Result<std::optional<ReadOn>> read_on(const std::filesystem::path& folder,
                                      const std::shared_ptr<const LiveSnapshot>& state,
                                      const OpContext& context, Env& env);

}  // namespace helve::store
