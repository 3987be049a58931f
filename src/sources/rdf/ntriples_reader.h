// Reads N-Triples and N-Quads. Lines are independent of each other, so a document may be cut at
// line ends and its pieces read on several threads (store/loader.h does).
// https://www.w3.org/TR/n-triples/ https://www.w3.org/TR/n-quads/
#pragma once

#include "base/op_context.h"
#include "sources/rdf/input_window.h"
#include "sources/rdf/reader.h"

namespace helve::rdf {

// REQUIRES: format is NTriples or NQuads. Views given to the sink point into the window wherever
// nothing was escaped.
Result<ReadReport> read_ntriples(InputWindow& window, Format format, const ReadOptions& options,
                                 const OpContext& context, StatementSink& sink);

}  // namespace helve::rdf
