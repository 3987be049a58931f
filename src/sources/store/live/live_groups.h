// How many triples each value of a part has, of a base and a delta: LiveSnapshot::groups().
#pragma once

#include <memory>

#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// Null where it would take a look at every triple, or at very many changes. Both must outlive it.
std::unique_ptr<sparql::GroupScan> make_live_groups(const LiveSnapshot& snapshot,
                                                    const sparql::Snapshot& base,
                                                    const QuadPattern& pattern, Part by);

}  // namespace helve::store
