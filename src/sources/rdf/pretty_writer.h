// Writes Turtle and TriG to be read and compared by people: collected, sorted, nested.
// https://www.w3.org/TR/turtle/ https://www.w3.org/TR/trig/
#pragma once

#include <memory>

#include "sources/rdf/writer.h"

namespace helve::rdf {

// REQUIRES: format is Turtle or TriG. Collects everything in memory charged to the context and
// writes in finish(). Isomorphic datasets with the same prefixes give the same bytes (but see
// blank_order.h), and reading and writing the result again gives it back byte for byte.
std::unique_ptr<Writer> make_pretty_writer(Format format, ByteSink& out,
                                           const WriteOptions& options, const OpContext& context);

}  // namespace helve::rdf
