// The values that several patterns have in common, over a base and a delta: what LiveSnapshot hands
// out where there are changes.
#pragma once

#include <memory>
#include <span>

#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// `base` is the world without the changes. Both must outlive it.
std::unique_ptr<sparql::Intersection> make_live_intersection(const LiveSnapshot& snapshot,
                                                             const sparql::Snapshot& base,
                                                             std::span<const Part> free);

}  // namespace helve::store
