// Whole graphs within a transaction: emptied, copied, filled from documents.
#pragma once

#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/rdf/document.h"
#include "sources/store/live/transaction.h"

namespace helve::store {

// A graph: undefined is the default graph.
Result<void> clear_graph(Id graph, Transaction& to);
Result<void> copy_graph(Id from, Id into, Transaction& to);
// Whether it is there. The default graph always is.
Result<bool> has_graph(Id graph, Transaction& in);

struct ReadStatements {
  std::vector<Quad> quads;
  MemoryCharge charge;
};

// Statements of a document, none of which is in the transaction yet. Those of its default graph are
// for `graph`; its named graphs stay as they are.
Result<ReadStatements> read_for_graph(rdf::Document& document, const std::string& base_iri,
                                      Id graph, Transaction& to);
Result<void> add_statements(const ReadStatements& read, Transaction& to);
// Both: all of them, or an error.
Result<void> load_into_graph(rdf::Document& document, const std::string& base_iri, Id graph,
                             Transaction& to);

}  // namespace helve::store
