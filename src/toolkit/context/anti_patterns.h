// What queries on a graph would get wrong, as far as its facts show it; for schema_constraints.h.
#pragma once

#include <string>
#include <vector>

#include "toolkit/context/graph_facts.h"
#include "toolkit/context/shown_names.h"

namespace helve::context {

// One line each, the worst mistakes first. Every one is true of the graph as it is.
std::vector<std::string> anti_patterns(const GraphFacts& facts, const ShownNames& names);

// Whether names are codes (SIO_000008), so that labels must stand beside them.
bool has_opaque_names(const GraphFacts& facts);

}  // namespace helve::context
