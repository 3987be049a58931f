// Reading Turtle and TriG (RDF 1.1). reader.h has the entry for all formats.
#pragma once

#include "sources/rdf/input_window.h"
#include "sources/rdf/reader.h"

namespace helve::rdf {

// `format` is Turtle or TriG. A statement that fails half-way has delivered what came before the
// error. The window must be able to hold Limits::term_bytes_max bytes and one piece.
Result<ReadReport> read_turtle(InputWindow& window, Format format, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink);

}  // namespace helve::rdf
