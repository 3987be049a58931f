// The vicinity of changes: a small snapshot with what names the things that changed since the base
// of a store, as it stands now. From it, and from the names of the base, those of now are told
// without reading the whole store again.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

struct Vicinity {
  std::shared_ptr<const Snapshot> snapshot;
  std::unordered_set<std::string> touched;  // IRIs of which it has all that names them
  bool is_complete = true;                  // false: more changed than is looked at
};

// Things that are looked at, at most.
inline constexpr std::size_t kTouchedMax = 500'000;

Result<Vicinity> make_vicinity(const LiveSnapshot& from, const OpContext& context,
                               std::size_t touched_max = kTouchedMax);

}  // namespace helve::store
