// What VoID tells of data that changed since its statistics were made: counted by queries.
#pragma once

#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::serve {

// Sizes, classes and properties of all graphs as one, largest first; no labels, nothing declared.
// Looks at every statement.
Result<GraphSchema> count_schema(const std::shared_ptr<const sparql::Snapshot>& data,
                                 const OpContext& op);

}  // namespace helve::serve
