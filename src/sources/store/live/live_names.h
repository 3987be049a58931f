// The names of a store with changes: those of its base, and of the vicinity of the changes in their
// place where they touch it.
#pragma once

#include <vector>

#include "sources/graph_source.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/live/vicinity.h"

namespace helve::store {

// Best first, at most `hits_max`.
std::vector<NameHit> merge_names(const std::vector<NameHit>& base, std::vector<NameHit> near,
                                 const LiveSnapshot& snapshot, const Vicinity& vicinity,
                                 std::size_t hits_max);

}  // namespace helve::store
