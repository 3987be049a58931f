#include "tests/conformance/suites.h"

#include <fmt/format.h>

#include <array>

namespace helve::conformance {

namespace {

constexpr std::string_view kW3cBase = "https://w3c.github.io/rdf-tests/";
constexpr std::string_view kOwnBase = "https://example.org/helve/";

constexpr std::array<Suite, 5> kW3cSuites{{
    {"W3C RDF 1.1 N-Triples", "rdf/rdf11/rdf-n-triples", kW3cBase},
    {"W3C RDF 1.1 N-Quads", "rdf/rdf11/rdf-n-quads", kW3cBase},
    {"W3C RDF 1.1 Turtle", "rdf/rdf11/rdf-turtle", kW3cBase},
    {"W3C RDF 1.1 TriG", "rdf/rdf11/rdf-trig", kW3cBase},
    {"W3C RDF 1.1 XML", "rdf/rdf11/rdf-xml", kW3cBase},
}};

constexpr std::array<Suite, 5> kOwnSuites{{
    {"Own N-Triples", "ntriples", kOwnBase},
    {"Own N-Quads", "nquads", kOwnBase},
    {"Own Turtle", "turtle", kOwnBase},
    {"Own TriG", "trig", kOwnBase},
    {"Own RDF/XML", "rdfxml", kOwnBase},
}};

}  // namespace

std::span<const Suite> w3c_suites() { return kW3cSuites; }
std::span<const Suite> own_suites() { return kOwnSuites; }

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

Result<SuiteOutcome> run_suite(const Suite& suite, const std::filesystem::path& folder,
                               const TestTypes& types, const SkipList& skips) {
  const std::string base = fmt::format("{}{}/", suite.base, suite.folder);
  HELVE_ASSIGN(const Manifest manifest, Manifest::read(folder / suite.folder, base));
  SuiteOutcome outcome;
  outcome.name = suite.name;
  outcome.total = manifest.cases().size();
  for (const TestCase& test : manifest.cases()) {
    if (const auto skip = skips.find(test.iri); skip != skips.end()) {
      outcome.skips.push_back({test.iri, skip->second});
      continue;
    }
    const auto type = types.find(test.type);
    if (type == types.end()) {
      outcome.failures.push_back({test.iri, fmt::format("unknown type of test <{}>", test.type)});
      continue;
    }
    if (const auto result = type->second(manifest, test); result) {
      ++outcome.passed;
    } else {
      outcome.failures.push_back({test.iri, result.error().to_string()});
    }
  }
  return outcome;
}

}  // namespace helve::conformance
