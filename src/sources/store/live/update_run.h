// Runs the operations of SPARQL 1.1 Update, and those of the Graph Store Protocol, within a
// transaction. https://www.w3.org/TR/sparql11-update/
#pragma once

#include <string>

#include "base/result.h"
#include "sources/rdf/document.h"
#include "sources/sparql/algebra/update.h"
#include "sources/store/live/live_store.h"
#include "sources/store/live/transaction.h"

namespace helve::store {

// What can be said before anything is done: Denied for LOAD where there is nowhere to load from,
// InvalidInput for USING or WITH beside the protocol's graphs.
Result<void> check_update(const sparql::Update& update, const UpdateOptions& options);

Result<void> run_update(const sparql::Update& update, const UpdateOptions& options,
                        Transaction& to);

// Puts the statements of a document into a graph, whose name is an IRI or empty for the default
// graph, and tells whether the graph was there. `replaces`: what was in it goes.
Result<void> put_graph(const std::string& graph, bool replaces, rdf::Document& document,
                       const std::string& base_iri, Transaction& to, bool& was_there);
// NotFound where there is no such graph.
Result<void> remove_graph(const std::string& graph, Transaction& to);

}  // namespace helve::store
