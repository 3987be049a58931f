// What every writer asks of a statement before it writes it, so that all output is valid.
#pragma once

#include "base/result.h"
#include "sources/rdf/term.h"

namespace helve::rdf {

// [a-zA-Z]+ ("-" [a-zA-Z0-9]+)*, LANGTAG without its "@".
bool is_language_tag(std::string_view tag);

// InvalidInput when a position holds a kind of term that RDF 1.1 does not allow there, an IRI is
// relative or has a character no IRI may have, or a language tag is none. Labels of blank nodes may
// be anything (append_blank_label).
Result<void> check_writable(const StatementView& statement);

// InvalidInput unless the statement is in the default graph. `syntax` names what has no graphs.
Result<void> check_in_default_graph(const StatementView& statement, std::string_view syntax);

}  // namespace helve::rdf
