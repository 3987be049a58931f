// The schema of a store with changes: that of its base, with what the changes touch read anew. It
// is the schema that a load of the same statements has.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// `base` is the schema of the snapshot's base. Takes the time of the changes, of as many look-ups
// as a schema samples statements, and of a copy of the schema.
Result<GraphSchema> make_live_schema(const GraphSchema& base, const LiveSnapshot& snapshot,
                                     const OpContext& context);

}  // namespace helve::store
