// Look-ups of many keys at once, intersections and groups, from the permutations of a store.
#pragma once

#include <memory>
#include <span>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/snapshot.h"

namespace helve::store {

std::unique_ptr<sparql::Lookup> make_lookup(const Snapshot& snapshot, sparql::LookupKind kind,
                                            sparql::Parts wanted);
std::unique_ptr<sparql::Intersection> make_intersection(const Snapshot& snapshot,
                                                        std::span<const Part> free);
// Null where graphs repeat or hide triples.
std::unique_ptr<sparql::GroupScan> make_group_scan(const Snapshot& snapshot,
                                                   const QuadPattern& pattern, Part by);

}  // namespace helve::store
