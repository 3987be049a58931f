// What a store tells tools about itself: GraphSchema from the statistics, and a fingerprint.
#pragma once

#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/store/snapshot.h"

namespace helve::store {

Result<GraphSchema> make_schema(const Snapshot& snapshot, const OpContext& context);

// Of all that the snapshot holds: equal for equal data, in another process and in a file too. At
// hand for one in a file; otherwise everything is read once.
std::string fingerprint_of(const Snapshot& snapshot);

// Whether any statement has the term, as subject, predicate, object or graph.
bool occurs(const sparql::Snapshot& data, const rdf::TermView& term);

}  // namespace helve::store
