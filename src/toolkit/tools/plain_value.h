// Terms and cells of replies as the plain values that programs know: JSON without RDF in it.
#pragma once

#include <string_view>

#include "base/json.h"
#include "toolkit/tools/reply.h"

namespace helve::toolkit {

// An IRI as its whole text, a blank node as "_:label", whole numbers and booleans of XSD as such,
// other numbers as the nearest double, every other literal as its text: also what JSON has no
// number for (INF, NaN). No secret of this process is in it.
JsonValue plain_value(const rdf::TermView& term);
JsonValue plain_text(std::string_view text);     // of no term
JsonValue plain_value(const ReplyValue& value);  // null where a cell is unbound

}  // namespace helve::toolkit
