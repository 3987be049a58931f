// Writes N-Triples and N-Quads, one canonical line per statement.
// https://www.w3.org/TR/n-triples/ https://www.w3.org/TR/n-quads/
#pragma once

#include <memory>

#include "sources/rdf/writer.h"

namespace helve::rdf {

// REQUIRES: format is NTriples or NQuads. Constant memory; order and repeats are kept.
std::unique_ptr<Writer> make_ntriples_writer(Format format, ByteSink& out);

}  // namespace helve::rdf
