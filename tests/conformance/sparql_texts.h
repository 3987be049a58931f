// Query files as the tests read them: strictly, at the address where they stand.
#pragma once

#include <string>

#include "base/result.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/conformance/manifest.h"

namespace helve::conformance {

sparql::ParseOptions strict_options(std::string base_iri, sparql::Version version);

// An error, too, when the query does not survive printing and parsing again.
Result<sparql::Query> parse_query_file(const Manifest& manifest, const std::string& iri,
                                       sparql::Version version);

}  // namespace helve::conformance
