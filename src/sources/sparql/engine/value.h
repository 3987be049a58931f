// Value: what an expression gives for one solution.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "sources/rdf/id.h"
#include "sources/rdf/term.h"
#include "sources/rdf/xsd_value.h"

namespace helve::sparql {

using rdf::Id;

// monostate: an error, or an unbound variable, which every operator but BOUND and COALESCE treats
// alike. Id: a term of the query's TermTable, not looked at yet (never undefined). XsdValue: a
// computed literal. Term: any other computed term (IRI, language-tagged string, odd datatype).
// The same term may come in three shapes: compare through evaluation_context.h.
using Value = std::variant<std::monostate, Id, rdf::XsdValue, rdf::Term>;

inline bool is_error(const Value& value) { return std::holds_alternative<std::monostate>(value); }

}  // namespace helve::sparql
