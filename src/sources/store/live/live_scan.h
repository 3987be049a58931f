// Scans and look-ups over a base and a delta: what LiveSnapshot hands out where changes fall into
// what is asked for.
#pragma once

#include <memory>
#include <optional>

#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// `base` is the same pattern's world without the changes. Both must outlive it.
std::unique_ptr<sparql::Scan> make_live_scan(const LiveSnapshot& snapshot,
                                             const sparql::Snapshot& base,
                                             const QuadPattern& pattern,
                                             std::optional<Order> preferred, Parts wanted);
std::unique_ptr<sparql::Lookup> make_live_lookup(const LiveSnapshot& snapshot,
                                                 const sparql::Snapshot& base,
                                                 sparql::LookupKind kind, Parts wanted);

}  // namespace helve::store
