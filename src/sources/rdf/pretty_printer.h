// The look of pretty Turtle and TriG: indentation, line breaks, brackets. The order of everything
// comes from pretty_layout.h, the form of terms from turtle_spelling.h.
#pragma once

#include "base/bytes.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/prefix_map.h"
#include "sources/rdf/pretty_layout.h"
#include "sources/rdf/quad_set.h"

namespace helve::rdf {

// Writes the prefixes that are used, the default graph, then each named graph in braces.
Result<void> print_pretty(const QuadSet& set, const PrettyLayout& layout, const PrefixMap& prefixes,
                          ByteSink& out, const OpContext& context);

}  // namespace helve::rdf
