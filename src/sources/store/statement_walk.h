// The way back from data to RDF statements: what is written out or read again.
#pragma once

#include <cstdint>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/engine/dataset.h"

namespace helve::store {

// Prefixes, then all statements, graph by graph, the default graph last, each in the order of its
// subjects. The views are valid during the call only.
Result<void> send_statements(const sparql::Snapshot& data, rdf::StatementSink& sink,
                             const OpContext& context);

}  // namespace helve::store
