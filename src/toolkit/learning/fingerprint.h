// The shape of a source in a word: the same as long as its classes and properties, or its tables
// and columns, are the same, however its data changes.
#pragma once

#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"

namespace helve::learning {

// Of the IRIs of classes and properties; of tables, columns and types. Empty where not all of them
// are known: there is nothing to compare then.
std::string schema_fingerprint(const GraphSchema& schema);
std::string schema_fingerprint(const Catalogue& catalogue);
// May ask a source about itself, where that was not done before.
Result<std::string> schema_fingerprint(const GraphSource& source, const OpContext& context);
Result<std::string> schema_fingerprint(const TableSource& source, const OpContext& context);

}  // namespace helve::learning
