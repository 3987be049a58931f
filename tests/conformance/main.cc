// helve_conformance: runs the W3C test suites and our own through one runner.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/conformance/report.h"
#include "tests/conformance/suites.h"
#include "tests/support/test_data.h"

namespace helve::conformance {
namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;

struct Options {
  std::string suites;
  std::string own = helve::testing::repository_path("tests/conformance/own");
  std::string skips = helve::testing::repository_path("tests/conformance/skips.txt");
  std::string baseline;
  std::string report;
  std::string only;
  std::string filter;
  std::string without;
};

constexpr std::string_view kEachPass = "each";
constexpr std::string_view kAllPasses = "all";

// Which passes queries run with.
Result<std::vector<sparql::PassSet>> pass_sets(const std::string& without) {
  const auto all = sparql::PassSet::all();
  if (without.empty()) return std::vector{all};
  if (without == kAllPasses) return std::vector{sparql::PassSet::none()};
  if (const auto pass = sparql::find_pass(without)) return std::vector{all.without(*pass)};
  if (without != kEachPass) {
    return Error(ErrorCode::InvalidInput, fmt::format("no pass '{}'", without),
                 fmt::format("one of {}, {}, {}", kEachPass, kAllPasses, sparql::pass_names()));
  }
  std::vector<sparql::PassSet> sets{all, sparql::PassSet::none()};
  for (std::size_t i = 0; i < sparql::kPasses; ++i) {
    sets.push_back(all.without(static_cast<sparql::Pass>(i)));
  }
  return sets;
}

TestTypes types_for(sparql::Version version, const std::vector<sparql::PassSet>& passes) {
  TestTypes types;
  add_rdf_tests(types);
  add_sparql_syntax_tests(types, version);
  add_sparql_query_tests(types, version, passes);
  add_sparql_update_tests(types, version);
  add_protocol_tests(types);
  return types;
}

Result<void> run_all(const SuiteCollection& collection, const fs::path& folder,
                     const Options& options, const SkipList& skips,
                     std::vector<SuiteOutcome>& outcomes) {
  HELVE_ASSIGN(const auto passes, pass_sets(options.without));
  const TestRoot root{folder, collection.base};
  for (const Suite& suite : collection.suites) {
    if (suite.name.find(options.filter) == std::string::npos) continue;
    HELVE_ASSIGN(SuiteOutcome outcome,
                 run_suite(suite, root, types_for(suite.version, passes), skips));
    fmt::print("{}: {} of {}\n", outcome.name, outcome.passed, outcome.total);
    for (const Failure& failure : outcome.failures) {
      fmt::print("  FAILED {}: {}\n", failure.test, failure.reason);
    }
    outcomes.push_back(std::move(outcome));
  }
  return {};
}

// False when a test fails, or when fewer pass than the committed report says.
Result<bool> is_good(const std::vector<SuiteOutcome>& outcomes, const std::string& baseline) {
  std::map<std::string, std::size_t> committed;
  if (!baseline.empty()) {
    HELVE_ASSIGN(const std::string text, read_file(baseline));
    committed = passed_in_report(text);
  }
  bool good = true;
  for (const SuiteOutcome& outcome : outcomes) {
    good &= outcome.failures.empty();
    const auto before = committed.find(outcome.name);
    if (before == committed.end() || outcome.passed >= before->second) continue;
    fmt::print("{}: {} passed, but {} did before ({})\n", outcome.name, outcome.passed,
               before->second, baseline);
    good = false;
  }
  return good;
}

Result<int> run(Options options) {
  HELVE_ASSIGN(const SkipList skips, read_skip_list(options.skips));
  std::vector<SuiteOutcome> outcomes;
  if (options.only != "own") {
    if (options.suites.empty()) options.suites = helve::testing::shared_path("data/w3c");
    if (!fs::exists(fs::path(options.suites) / w3c_suites().suites.front().manifests.front())) {
      fmt::print("skipped: no W3C test suites; set HELVE_SHARED or --suites\n");
      return kSkipped;
    }
    HELVE_TRY(run_all(w3c_suites(), options.suites, options, skips, outcomes));
  }
  if (options.only != "w3c") {
    HELVE_TRY(run_all(own_suites(), options.own, options, skips, outcomes));
  }
  if (!options.report.empty()) std::ofstream(options.report) << write_report(outcomes);
  HELVE_ASSIGN(const bool good, is_good(outcomes, options.baseline));
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Runs the W3C RDF and SPARQL test suites and our own.");
  app.add_option("--suites", options.suites,
                 "folder of the W3C suites (default: data/w3c of the shared data)");
  app.add_option("--own", options.own, "folder of our own suites");
  app.add_option("--skips", options.skips, "tests not to run, each with its reason");
  app.add_option("--baseline", options.baseline, "a report whose numbers may not fall");
  auto* report = app.add_option("--report", options.report, "write the report here");
  app.add_option("--only", options.only, "run only these")->check(CLI::IsMember({"w3c", "own"}));
  app.add_option("--suite", options.filter, "run only suites whose name contains this")
      ->excludes(report);
  app.add_option("--without-pass", options.without,
                 "switch a pass of the optimizer off, or 'all' of them; 'each': run every query "
                 "with all, with none and without each")
      ->excludes(report);
  CLI11_PARSE(app, argc, argv);
  const Result<int> status = run(options);
  if (status) return *status;
  fmt::print(stderr, "{}\n", status.error().to_string());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace helve::conformance

int main(int argc, char** argv) { return helve::conformance::main_of(argc, argv); }
