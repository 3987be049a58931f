// What TripleReader says, of a snapshot.
#pragma once

#include <cstdint>
#include <vector>

#include "sources/store/snapshot.h"
#include "sources/triple_reader.h"

namespace helve::store {

Result<bool> read_triples(const Snapshot& snapshot, const TripleIds& known, std::uint64_t most,
                          std::vector<TripleIds>& triples, const OpContext& context);

Result<bool> count_by_object(const Snapshot& snapshot, Id predicate, std::uint64_t most,
                             std::vector<TripleReader::ObjectCount>& counts,
                             const OpContext& context);

}  // namespace helve::store
