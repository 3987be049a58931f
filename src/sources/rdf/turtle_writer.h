// Writes Turtle and TriG as the statements come; pretty_writer.h sorts and nests first.
// https://www.w3.org/TR/turtle/ https://www.w3.org/TR/trig/
#pragma once

#include <memory>

#include "sources/rdf/writer.h"

namespace helve::rdf {

// REQUIRES: format is Turtle or TriG. Constant memory; order and repeats are kept, neighbouring
// statements with the same subject or predicate share it. WriteOptions::pretty is not looked at.
std::unique_ptr<Writer> make_turtle_writer(Format format, ByteSink& out,
                                           const WriteOptions& options, const OpContext& context);

}  // namespace helve::rdf
