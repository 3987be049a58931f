// The schema of some graphs of a source, found by asking queries of them alone.
// restricted_source.h is its user.
#pragma once

#include "base/result.h"
#include "sources/graph_source.h"

namespace helve::toolkit {

// REQUIRES: a dataset that names at least one graph. What `whole` (the schema of all graphs) says
// of those graphs is taken; of anything else nothing is, since it would tell of the others.
Result<GraphSchema> schema_within(const GraphSource& source, const GraphSchema& whole,
                                  const QueryDataset& dataset, const OpContext& context);

}  // namespace helve::toolkit
