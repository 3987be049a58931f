// Which suites there are, and running one.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tests/conformance/test_types.h"

namespace helve::conformance {

struct Suite {
  std::string_view name;
  std::string_view folder;  // below the folder of all suites
  std::string_view base;    // where that folder stands on the web
};

std::span<const Suite> w3c_suites();
std::span<const Suite> own_suites();

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

Result<SuiteOutcome> run_suite(const Suite& suite, const std::filesystem::path& folder,
                               const TestTypes& types, const SkipList& skips);

}  // namespace helve::conformance
