// From a store and its changes to a snapshot that has them in it: what compaction writes.
// Everything is sorted already, so that it is one pass over each order.
#pragma once

#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// The one that a load of the same statements gives. `place` says where it is built; its budget must
// outlive the result.
Result<std::shared_ptr<const Snapshot>> merge_changes(const LiveSnapshot& from,
                                                      const BuildPlace& place,
                                                      const OpContext& context);

}  // namespace helve::store
