// Writing RDF/XML, made by make_writer() of writer.h.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/op_context.h"
#include "sources/rdf/writer.h"

namespace helve::rdf {

// Pretty: collected, sorted by subject, each subject once, its first class as the element's name.
// Otherwise in order of arrival in constant memory; consecutive statements about one subject share
// an element. InvalidInput for what RDF/XML cannot hold: named graphs, properties that do not end
// with an XML name, characters that XML 1.0 has not.
std::unique_ptr<Writer> make_rdfxml_writer(ByteSink& out, const WriteOptions& options,
                                           const OpContext& context);

}  // namespace helve::rdf
