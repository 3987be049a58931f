// Which suites there are, and running one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/query.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

// A row of the report. SPARQL's manifests hold tests of several kinds, which are counted apart.
struct Suite {
  enum class Kind : std::uint8_t {
    All,
    Syntax,           // every type of syntax test
    QueryEvaluation,  // and the formats of results
    UpdateEvaluation,
  };

  std::string name;
  std::vector<std::string> manifests;  // below the folder of all suites
  Kind kind = Kind::All;
  sparql::Version version = sparql::Version::Sparql11;
};

// Where the suites stand on the web, and what they are.
struct SuiteCollection {
  std::string base;
  std::vector<Suite> suites;
};
SuiteCollection w3c_suites();
SuiteCollection own_suites();

struct Failure {
  std::string test;
  std::string reason;
};

struct SuiteOutcome {
  std::string name;
  std::size_t total = 0;
  std::size_t passed = 0;
  std::vector<Failure> failures;
  std::vector<Failure> skips;
};

// IRI of a test -> why it is not run.
using SkipList = std::map<std::string, std::string, std::less<>>;

// Lines of "IRI reason"; '#' begins a comment.
Result<SkipList> read_skip_list(const std::filesystem::path& path);

Result<SuiteOutcome> run_suite(const Suite& suite, const TestRoot& root, const TestTypes& types,
                               const SkipList& skips);

}  // namespace helve::conformance
