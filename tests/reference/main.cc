// helve_optimizer_differential: compares optimised plans with the reference evaluator for as long
// as one likes. README.md says how to use it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "sources/rdf/reader.h"
#include "sources/sparql/algebra/parser.h"
#include "tests/reference/differential.h"

namespace helve::reference {
namespace {

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t rounds = UINT64_MAX;
  std::uint64_t seconds = 10;
  std::uint64_t differences_max = 1;
  bool is_large = false;
  bool has_all_setups = false;
  bool is_union_default = false;
  std::string data;
  std::string query;
};

struct QuadCollector final : rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& view) override {
    quads.push_back({rdf::Term(view.subject), rdf::Term(view.predicate), rdf::Term(view.object),
                     rdf::Term(view.graph)});
    return {};
  }
  std::vector<MemoryQuad> quads;
};

// One query about one file, in every setup.
Result<int> compare_one(const Options& options) {
  std::ifstream file(options.data);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  QuadCollector collector;
  HELVE_TRY(rdf::read_document(rdf::Format::TriG, text, {}, {}, collector));
  sparql::ParseOptions parse_options;
  parse_options.known_prefixes = {{"", "http://example.org/"}};
  HELVE_ASSIGN(const sparql::ParsedQuery parsed, sparql::parse_query(options.query, parse_options));
  const TestedData data(std::move(collector.quads));
  const Asked asked{parsed.query, options.is_union_default};
  int status = EXIT_SUCCESS;
  for (const Setup& setup : all_setups()) {
    const Compared compared = compare(data, asked, {setup}, {UINT64_MAX, SIZE_MAX});
    if (compared.verdict == Verdict::Same) continue;
    fmt::print("{}\n{}\n", setup.name(), compared.difference);
    status = EXIT_FAILURE;
  }
  HELVE_ASSIGN(const ReferenceAnswer answer,
               evaluate(asked.query, data.snapshot(Backend::Memory), {options.is_union_default}));
  fmt::print("the reference says: {}\n", answer.is_true ? "true" : "");
  for (const RowGroup& group : answer.groups) {
    for (const Row& row : group.rows) fmt::print("  {}\n", row);
  }
  return status;
}

int run(const Options& options) {
  Tally tally;
  std::uint64_t differences = 0;
  std::uint64_t round = 0;
  const MonotonicTime started = real_clock().now();
  const auto elapsed = [&] { return real_clock().now() - started; };
  for (; round < options.rounds && elapsed() < std::chrono::seconds(options.seconds); ++round) {
    const std::uint64_t seed = options.seed + round;
    Choices choices(seed);
    RoundOptions round_options;
    round_options.is_large = options.is_large;
    round_options.has_all_setups = options.has_all_setups;
    round_options.turn = seed;
    if (options.is_large) {
      round_options.quads_max = 6'000;
      round_options.nodes_max = 1'500;
    }
    const auto difference = run_round(choices, round_options, tally);
    if (!difference) continue;
    fmt::print("=== difference, seed {}\n{}\n", seed, *difference);
    std::fflush(stdout);
    if (++differences == options.differences_max) break;
  }
  const double seconds = std::chrono::duration<double>(elapsed()).count();
  fmt::print(
      "{} rounds from seed {}: {} queries ({} with rows), {} runs in {:.1f} s ({:.0f} per second), "
      "{} skipped, {} unsaid, {} differences\n",
      round, options.seed, tally.queries, tally.with_rows, tally.runs, seconds,
      static_cast<double>(tally.runs) / seconds, tally.skipped, tally.unsaid, differences);
  return differences == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Compares the optimizer with the reference evaluator on random queries.");
  app.add_option("--seed", options.seed, "the first round's seed")->capture_default_str();
  app.add_option("--rounds", options.rounds, "end after so many rounds");
  app.add_option("--seconds", options.seconds, "end after so long")->capture_default_str();
  app.add_option("--differences", options.differences_max, "end after so many differences")
      ->capture_default_str();
  app.add_flag("--large", options.is_large, "thousands of triples instead of dozens");
  app.add_flag("--all-setups", options.has_all_setups, "every pass off and on, for every query");
  auto* data = app.add_option("--data", options.data, "a TriG file to ask --query about");
  app.add_option("--query", options.query, "one query, in every setup")->needs(data);
  app.add_flag("--union", options.is_union_default, "for --query: the default graph is the union");
  CLI11_PARSE(app, argc, argv);
  if (options.data.empty()) return run(options);
  const Result<int> status = compare_one(options);
  if (status) return *status;
  fmt::print(stderr, "{}\n", status.error().to_string());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace helve::reference

int main(int argc, char** argv) { return helve::reference::main_of(argc, argv); }
