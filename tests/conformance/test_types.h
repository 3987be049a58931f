// What each type of test does. A family of tests (RDF syntaxes, SPARQL, ...) adds its types here.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/passes.h"
#include "tests/conformance/manifest.h"

namespace helve::conformance {

// An error is a failed test; its message says why.
using TestFunction = std::function<Result<void>(const Manifest&, const TestCase&)>;

// By the IRI of the type.
using TestTypes = std::map<std::string, TestFunction, std::less<>>;

// rdft: types for N-Triples, N-Quads, Turtle, TriG and RDF/XML (rdf_tests.cc).
void add_rdf_tests(TestTypes& types);

// mf: types for queries and updates in this version of the language (sparql_syntax_tests.cc,
// sparql_query_tests.cc).
void add_sparql_syntax_tests(TestTypes& types, sparql::Version version);
// Queries run with each of these sets of passes of the optimizer.
void add_sparql_query_tests(TestTypes& types, sparql::Version version,
                            const std::vector<sparql::PassSet>& passes);
void add_sparql_update_tests(TestTypes& types, sparql::Version version);

// mf: types for what goes over HTTP (protocol_tests.cc).
void add_protocol_tests(TestTypes& types);

}  // namespace helve::conformance
