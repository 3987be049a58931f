// Reading RDF/XML: https://www.w3.org/TR/rdf-syntax-grammar/ (RDF 1.1), complete and strict.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/reader.h"

namespace helve::rdf {

// As read_document() of reader.h. Lenient: an element that breaks the rules of RDF/XML is skipped
// with everything in it; where the XML itself is broken, reading ends there, successfully, with
// that as the last problem.
Result<ReadReport> read_rdfxml(ByteSource& source, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink);
Result<ReadReport> read_rdfxml(std::string_view document, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink);

}  // namespace helve::rdf
