// Terms in Turtle syntax on one line, without tabs: in TSV and in tables.
#pragma once

#include <string>

#include "sources/rdf/prefix_map.h"
#include "sources/rdf/term.h"

namespace helve::sparql {

// Appends the term; IRIs as prefixed names where `prefixes` has one.
void append_term_text(std::string& out, const rdf::TermView& term, const rdf::PrefixMap& prefixes);

}  // namespace helve::sparql
