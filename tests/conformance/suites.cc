#include "tests/conformance/suites.h"

#include <fmt/format.h>

namespace helve::conformance {

namespace {

constexpr std::string_view kW3cBase = "https://w3c.github.io/rdf-tests/";
constexpr std::string_view kOwnBase = "https://example.org/helve/";

bool has_type(const Suite& suite, const TestCase& test) {
  const bool is_syntax = test.type.find("SyntaxTest") != std::string::npos;
  const bool is_query =
      test.type.ends_with("QueryEvaluationTest") || test.type.ends_with("CSVResultFormatTest");
  switch (suite.kind) {
    case Suite::Kind::All:
      return true;
    case Suite::Kind::Syntax:
      return is_syntax;
    case Suite::Kind::QueryEvaluation:
      return is_query;
    case Suite::Kind::UpdateEvaluation:
      return test.type.ends_with("UpdateEvaluationTest");
  }
  return false;
}

void run_test(const Manifest& manifest, const TestCase& test, const TestTypes& types,
              SuiteOutcome& outcome) {
  const auto type = types.find(test.type);
  if (type == types.end()) {
    outcome.failures.push_back({test.iri, fmt::format("unknown type of test <{}>", test.type)});
    return;
  }
  if (const auto result = type->second(manifest, test); result) {
    ++outcome.passed;
  } else {
    outcome.failures.push_back({test.iri, result.error().to_string()});
  }
}

}  // namespace

// Out of scope, and so no suites: entailment regimes and triple terms. The deprecated tests of the
// Graph Store Protocol, which others took the place of, run too.
SuiteCollection w3c_suites() {
  using Kind = Suite::Kind;
  const auto sparql11 = [](std::string_view part) {
    return std::vector{fmt::format("sparql/sparql11/manifest-sparql11-{}.ttl", part)};
  };
  std::vector<std::string> sparql12;
  for (const std::string_view part : {"grouping", "codepoint-escapes", "expression", "lang-basedir",
                                      "rdf11", "version", "syntax"}) {
    sparql12.push_back(fmt::format("sparql/sparql12/{}/manifest.ttl", part));
  }
  return {std::string(kW3cBase),
          {
              {"W3C RDF 1.1 N-Triples", {"rdf/rdf11/rdf-n-triples/manifest.ttl"}},
              {"W3C RDF 1.1 N-Quads", {"rdf/rdf11/rdf-n-quads/manifest.ttl"}},
              {"W3C RDF 1.1 Turtle", {"rdf/rdf11/rdf-turtle/manifest.ttl"}},
              {"W3C RDF 1.1 TriG", {"rdf/rdf11/rdf-trig/manifest.ttl"}},
              {"W3C RDF 1.1 XML", {"rdf/rdf11/rdf-xml/manifest.ttl"}},
              {"W3C SPARQL 1.0 query syntax", {"sparql/sparql10/manifest-syntax.ttl"}},
              {"W3C SPARQL 1.0 query evaluation", {"sparql/sparql10/manifest-evaluation.ttl"}},
              {"W3C SPARQL 1.1 query syntax", sparql11("query"), Kind::Syntax},
              {"W3C SPARQL 1.1 query evaluation", sparql11("query"), Kind::QueryEvaluation},
              {"W3C SPARQL 1.1 results (CSV, TSV, JSON)", sparql11("results")},
              {"W3C SPARQL 1.1 federated query", sparql11("fed")},
              {"W3C SPARQL 1.1 update syntax", sparql11("update"), Kind::Syntax},
              {"W3C SPARQL 1.1 update evaluation", sparql11("update"), Kind::UpdateEvaluation},
              {"W3C SPARQL 1.1 protocol", {"sparql/sparql11/protocol/manifest.ttl"}},
              {"W3C SPARQL 1.1 graph store protocol",
               {"sparql/sparql11/graph-store-protocol/manifest.ttl",
                "sparql/sparql11/http-rdf-update/manifest.ttl"}},
              {"W3C SPARQL 1.1 service description",
               {"sparql/sparql11/service-description/manifest.ttl"}},
              {"W3C SPARQL 1.2 query syntax", sparql12, Kind::Syntax, sparql::Version::Sparql12},
              {"W3C SPARQL 1.2 query evaluation", sparql12, Kind::QueryEvaluation,
               sparql::Version::Sparql12},
          }};
}

SuiteCollection own_suites() {
  return {
      std::string(kOwnBase),
      {
          {"Own N-Triples", {"ntriples/manifest.ttl"}},
          {"Own N-Quads", {"nquads/manifest.ttl"}},
          {"Own Turtle", {"turtle/manifest.ttl"}},
          {"Own TriG", {"trig/manifest.ttl"}},
          {"Own RDF/XML", {"rdfxml/manifest.ttl"}},
          {"Own SPARQL syntax", {"sparql/manifest.ttl"}, Suite::Kind::Syntax},
          {"Own SPARQL query evaluation", {"sparql/manifest.ttl"}, Suite::Kind::QueryEvaluation},
          {"Own SPARQL 1.2",
           {"sparql12/manifest.ttl"},
           Suite::Kind::All,
           sparql::Version::Sparql12},
      }};
}

Result<SkipList> read_skip_list(const std::filesystem::path& path) {
  HELVE_ASSIGN(const std::string text, read_file(path));
  SkipList skips;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{}: '{}' has no reason", path.string(), line)};
    }
    skips.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return skips;
}

Result<SuiteOutcome> run_suite(const Suite& suite, const TestRoot& root, const TestTypes& types,
                               const SkipList& skips) {
  SuiteOutcome outcome;
  outcome.name = suite.name;
  for (const std::string& path : suite.manifests) {
    HELVE_ASSIGN(const std::vector<Manifest> manifests, read_manifests(root, path));
    for (const Manifest& manifest : manifests) {
      for (const TestCase& test : manifest.cases()) {
        if (!has_type(suite, test)) continue;
        ++outcome.total;
        if (const auto skip = skips.find(test.iri); skip != skips.end()) {
          outcome.skips.push_back({test.iri, skip->second});
        } else {
          run_test(manifest, test, types, outcome);
        }
      }
    }
  }
  return outcome;
}

}  // namespace helve::conformance
