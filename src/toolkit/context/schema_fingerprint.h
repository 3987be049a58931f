// A digest of what a source has names for, so that what was learnt on one schema is not taken on
// trust on another. Data may change without it: Source::fingerprint() is of the data.
#pragma once

#include <string>

#include "sources/graph_source.h"
#include "toolkit/context/table_cards.h"

namespace helve::context {

// Of the IRIs of classes and properties. Empty where not all of them are known: there is nothing to
// compare then.
std::string schema_fingerprint(const GraphSchema& schema);
// Of tables, columns and types, likewise.
std::string schema_fingerprint(const TableFacts& facts);

}  // namespace helve::context
