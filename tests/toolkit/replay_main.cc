// helve_replay GRAPH: makes the calls of replay.cases again, on a graph of bench/gen.py, and prints
// what became of them. The exit status is 1 where any fails.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "tests/support/test_data.h"
#include "tests/toolkit/replay.h"
#include "tests/toolkit/sql_worker_role.h"

namespace {

using helve::proofs::ReplayOutcome;
using helve::proofs::ReplayResult;

struct Options {
  std::string graph;
  std::string cases = helve::testing::repository_path("tests/toolkit/replay.cases");
  std::uint64_t endpoint_triples = 232'000'000'000;
  bool is_verbose = false;
};

// How many failed.
int show(const std::vector<ReplayResult>& results, std::string_view answered, bool is_verbose) {
  int failed = 0;
  for (const ReplayResult& one : results) {
    const bool is_failure = one.outcome == ReplayOutcome::Failed;
    failed += is_failure ? 1 : 0;
    if (!is_failure && !is_verbose) continue;
    std::cout << fmt::format("{:9.1f} ms  {:9} {} {} {}\n", one.ms, name_of(one.outcome),
                             one.call->tool, to_json(one.call->arguments),
                             one.says.empty() ? "" : "\n              " + one.says);
  }
  std::cout << "\n" << replay_table(results, answered) << "\n";
  return failed;
}

helve::Result<int> run(const Options& options) {
  using namespace helve::proofs;
  Workbench bench;
  HELVE_ASSIGN(auto graph, bench.factory().open(options.graph, "graph", {}));
  bench.add(std::move(graph));
  HELVE_ASSIGN(const auto cases, read_replay_cases(options.cases));
  HELVE_TRY(prepare_replay(bench));
  std::vector<ReplayResult> here;
  std::vector<ReplayResult> there;
  for (const ReplayCase& one : cases) here.push_back(replay(one, bench));
  for (const ReplayCase& one : cases) {
    if (one.was_time_out()) {
      there.push_back(replay_as_endpoint(one, options.endpoint_triples, bench));
    }
  }
  std::cout << "On this graph, with the deadlines of the tools:\n";
  int failed = show(here, "answered", options.is_verbose);
  std::cout << fmt::format("Judged as if it were an endpoint of {} triples:\n",
                           options.endpoint_triples);
  failed += show(there, "let through", options.is_verbose);
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = helve::proofs::serve_as_sql_worker(argc, argv)) return *status;
  Options options;
  CLI::App app("Makes calls that once failed again.");
  app.add_option("GRAPH", options.graph, "a file or index folder of bench/gen.py")->required();
  app.add_option("--cases", options.cases, "the calls");
  app.add_option("--endpoint-triples", options.endpoint_triples, "size of the endpoint");
  app.add_flag("--verbose", options.is_verbose, "show every call");
  CLI11_PARSE(app, argc, argv);
  const auto failed = run(options);
  if (!failed) {
    std::cerr << "helve_replay: " << failed.error().to_string() << "\n";
    return 2;
  }
  return *failed > 0 ? 1 : 0;
}
