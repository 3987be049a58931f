// helve_rehearsal INDEX --void FILE: replays the calls of tests/toolkit/replay.cases through HTTP
// on a graph of gen_uniprot.py that answers as slowly as the endpoint that the VoID describes. The
// exit status is 1 where a call fails or asks more than it may, 77 where there is no VoID.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "sources/store/dataset.h"
#include "sources/store/live/live_graph.h"
#include "sources/store/local_graph.h"
#include "surfaces/opening/open_endpoint.h"
#include "tests/rehearsal/rehearsal.h"
#include "tests/support/test_data.h"
#include "tests/toolkit/sql_worker_role.h"

namespace {

using namespace helve::rehearsal;
using helve::proofs::ReplayOutcome;

struct Options {
  std::string graph;
  std::string description;
  std::string cases = helve::testing::repository_path("tests/toolkit/replay.cases");
  std::string tools = helve::testing::repository_path("tests/rehearsal/tools.cases");
  std::string names = helve::testing::repository_path("tests/rehearsal/uniprot.names");
  CostRates rates;
  std::size_t given_up_max = 0;
  bool is_verbose = false;
};

// What may be asked of somebody else's machine.
constexpr std::size_t kSurveyRequestsMax = 20;
constexpr std::size_t kCallRequestsMax = 25;
constexpr double kMeanRequestsMax = 5;
constexpr double kBitingShare = 0.8;
constexpr double kQuickSeconds = 1;

class Verdict {
 public:
  void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::cout << "FAILED: " << what << "\n";
    has_failed_ = true;
  }
  bool has_failed() const { return has_failed_; }

 private:
  bool has_failed_ = false;
};

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

helve::Result<std::shared_ptr<const helve::GraphSource>> open_remote(const std::string& url) {
  helve::opening::EndpointInput input;
  input.name = "graph";
  input.uri = url;
  HELVE_ASSIGN(auto opened, helve::opening::open_endpoint(input, helve::real_env()));
  return std::move(opened.graph);
}

void show_model(const helve::sparql::Snapshot& data, const CostRates& rates) {
  std::cout << fmt::format(
      "{} triples as an endpoint that reads {} entries a second, answers after {} s and gives up "
      "after {} s\n",
      helve::format_count(data.triples()),
      helve::format_count(static_cast<std::uint64_t>(rates.rows_per_second)), rates.latency_seconds,
      rates.limit_seconds);
}

void show_asked(const char* who, const Asked& asked) {
  std::cout << fmt::format("{}: {} requests, {} given up, {:.1f} s there; slowest {:.2f} s: {}\n",
                           who, asked.requests, asked.failed, asked.seconds, asked.slowest,
                           asked.slowest_query);
}

void show_call(const RehearsedCall& call) {
  std::cout << fmt::format("{:3} requests {:6.2f} s  {:9} {} {}\n              {}\n",
                           call.asked.requests, call.asked.seconds, name_of(call.result.outcome),
                           call.result.call->tool, to_json(call.result.call->arguments),
                           call.result.says);
}

void judge_replay(const Rehearsal& done, const Options& options, Verdict& verdict) {
  std::vector<helve::proofs::ReplayResult> results;
  std::size_t refused = 0;
  std::size_t given_up = 0;
  std::size_t most = 0;
  for (const RehearsedCall& call : done.calls) {
    const bool is_failure = call.result.outcome == ReplayOutcome::Failed;
    if (is_failure || call.is_given_up || options.is_verbose) show_call(call);
    results.push_back(call.result);
    const bool is_refused = call.result.call->was_time_out() && !call.is_given_up &&
                            call.result.outcome == ReplayOutcome::Repaired;
    refused += is_refused ? 1 : 0;
    given_up += call.is_given_up ? 1 : 0;
    most = std::max(most, call.asked.requests);
    verdict.expect(call.asked.requests <= kCallRequestsMax,
                   fmt::format("{} requests for one call: {} {}", call.asked.requests,
                               call.result.call->tool, to_json(call.result.call->arguments)));
  }
  const Asked asked = done.asked();
  std::cout << "\n" << helve::proofs::replay_table(results) << "\n";
  show_asked("survey and handles", done.survey);
  show_asked("calls", asked);
  std::cout << fmt::format(
      "{} calls, {} failed, {} refused by the guard with a query that was answered, {} "
      "given up with one; {:.1f} requests for a call, {} at most\n",
      done.calls.size(), done.count(ReplayOutcome::Failed), refused, given_up,
      static_cast<double>(asked.requests) / static_cast<double>(done.calls.size()), most);
  verdict.expect(done.count(ReplayOutcome::Failed) == 0, "calls failed");
  verdict.expect(given_up <= options.given_up_max, "the endpoint gave calls up");
  verdict.expect(done.survey.failed == 0, "the survey asks what the endpoint gives up");
  verdict.expect(done.survey.requests <= kSurveyRequestsMax, "the survey asks too often");
  verdict.expect(static_cast<double>(asked.requests) <=
                     kMeanRequestsMax * static_cast<double>(done.calls.size()),
                 "too many requests for a call on average");
}

helve::Result<bool> run(const Options& options) {
  helve::proofs::Workbench bench;
  HELVE_ASSIGN(const auto graph, bench.factory().open(options.graph, "data", {}));
  std::shared_ptr<const helve::sparql::Snapshot> data = helve::store::live_snapshot_of(*graph);
  if (data == nullptr) data = helve::store::as_dataset(helve::store::snapshot_of(*graph));
  SlowOptions slow;
  slow.rates = options.rates;
  show_model(*data, slow.rates);
  HELVE_ASSIGN(const auto endpoint,
               SlowEndpoint::start(data, read_text(options.description), slow));
  HELVE_ASSIGN(const auto names, helve::proofs::read_replay_names(options.names));
  HELVE_ASSIGN(auto cases, helve::proofs::read_replay_cases(options.cases, names));
  Verdict verdict;
  HELVE_ASSIGN(const Asked quick, look_up(*endpoint));
  show_asked("look-ups, sent as they are", quick);
  verdict.expect(quick.failed == 0 && quick.slowest <= kQuickSeconds, "look-ups must be quick");
  HELVE_ASSIGN(const NaiveRun naive, send_naively(cases, *endpoint));
  show_asked("the queries of the time-outs, sent as they are", naive.asked);
  verdict.expect(
      static_cast<double>(naive.asked.failed) >= kBitingShare * static_cast<double>(naive.sent),
      "the model does not bite: what timed out there must do so here");
  HELVE_ASSIGN(auto source, open_remote(endpoint->url()));
  bench.add(std::move(source));
  HELVE_ASSIGN(auto more, helve::proofs::read_replay_cases(options.tools));
  cases.insert(cases.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  HELVE_ASSIGN(const Rehearsal done, rehearse(cases, names, *endpoint, bench));
  judge_replay(done, options, verdict);
  return !verdict.has_failed();
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = helve::proofs::serve_as_sql_worker(argc, argv)) return *status;
  Options options;
  CLI::App app("Rehearses calls on an endpoint as slow as a real one.");
  app.add_option("INDEX", options.graph, "an index folder of gen_uniprot.py")->required();
  app.add_option("--void", options.description, "the VoID of the real endpoint")->required();
  app.add_option("--cases", options.cases, "the calls");
  app.add_option("--names", options.names, "what stands for the names in them");
  app.add_option("--rows-per-second", options.rates.rows_per_second,
                 "index entries that the real endpoint reads");
  app.add_option("--given-up-max", options.given_up_max,
                 "calls that the endpoint may give up, if what it suggests then is answered");
  app.add_flag("--verbose", options.is_verbose, "show every call");
  CLI11_PARSE(app, argc, argv);
  if (!std::filesystem::exists(options.description)) {
    std::cout << "skipped: there is no " << options.description << "; set HELVE_SHARED\n";
    constexpr int kSkipped = 77;
    return kSkipped;
  }
  const auto is_good = run(options);
  if (!is_good) {
    std::cerr << "helve_rehearsal: " << is_good.error().to_string() << "\n";
    return 2;
  }
  return *is_good ? 0 : 1;
}
