// Syntax tests of queries and updates. What is accepted must also survive printing. Evaluation
// tests are in sparql_query_tests.cc.
#include <fmt/format.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "tests/conformance/sparql_texts.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

namespace {

bool is_update(const std::string& iri) { return iri.ends_with(".ru"); }

Result<void> parse(const Manifest& manifest, const std::string& iri, sparql::Version version) {
  if (!is_update(iri)) {
    HELVE_TRY(parse_query_file(manifest, iri, version));
    return {};
  }
  HELVE_ASSIGN(const auto path, manifest.path_of(iri));
  HELVE_ASSIGN(const std::string text, read_file(path));
  sparql::ParseOptions options = strict_options(manifest.base_of(iri), version);
  HELVE_ASSIGN(const sparql::ParsedUpdate parsed, sparql::parse_update(text, options));
  const std::string printed = sparql::to_sparql(parsed.update);
  options.text_name = "printed update";
  options.version = sparql::Version::Sparql11;  // the text says when it is another
  HELVE_ASSIGN(const sparql::ParsedUpdate again, sparql::parse_update(printed, options));
  if (again.update == parsed.update) return {};
  return Error{ErrorCode::Internal, "printing changed the update to " + printed};
}

Result<void> positive(const Manifest& manifest, const TestCase& test, sparql::Version version) {
  return parse(manifest, test.action.value, version);
}

Result<void> run_negative_syntax(const Manifest& manifest, const TestCase& test,
                                 sparql::Version version) {
  const Result<void> parsed = parse(manifest, test.action.value, version);
  if (parsed) return Error{ErrorCode::InvalidInput, "a bad text was accepted"};
  const Error& error = parsed.error();
  if (error.code == ErrorCode::InvalidInput && error.position) return {};
  return Error{ErrorCode::Internal, "not an error with a position: " + error.to_string()};
}

}  // namespace

// Old manifests have queries and updates under the same type: the ending of the file tells.
void add_sparql_syntax_tests(TestTypes& types, sparql::Version version) {
  for (const std::string_view kind :
       {"SyntaxTest", "SyntaxTest11", "UpdateSyntaxTest", "UpdateSyntaxTest11"}) {
    const auto add = [&](std::string_view sign, auto run) {
      types[fmt::format("{}{}{}", kManifest, sign, kind)] = [run, version](const Manifest& manifest,
                                                                           const TestCase& test) {
        return run(manifest, test, version);
      };
    };
    add("Positive", positive);
    add("Negative", run_negative_syntax);
  }
}

}  // namespace helve::conformance
