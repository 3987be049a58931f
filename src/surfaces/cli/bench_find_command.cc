// helve bench-find: how long finding names takes; what bench/find.py calls.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/json_writer.h"
#include "sources/store/live/local_factory.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

namespace {

using Micros = std::chrono::duration<double, std::micro>;

double percentile(std::vector<double> sorted, double share) {
  std::sort(sorted.begin(), sorted.end());
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last)];
}

// A line of JSON: the first search, which opens or makes the index, apart from the others.
Result<std::string> measure_find(const GraphSource& graph, const std::string& text,
                                 std::size_t rounds, CommandContext& context) {
  std::vector<double> times;
  std::size_t hits = 0;
  for (std::size_t i = 0; i <= rounds; ++i) {
    const MonotonicTime start = context.env.clock().now();
    HELVE_ASSIGN(const auto found, graph.find({text, NameKind::Any, 20, true}, context.op));
    times.push_back(Micros(context.env.clock().now() - start).count());
    hits = found.size();
  }
  const double first = times.front();
  times.erase(times.begin());
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("text", text);
  json.member("hits", hits);
  json.member("first_us", first);
  json.member("p50_us", percentile(times, 0.5));
  json.member("p99_us", percentile(times, 0.99));
  json.end_object();
  return out + '\n';
}

}  // namespace

Result<void> run_bench_find(const BenchFindOptions& options, CommandContext& context) {
  const auto factory = store::make_local_factory(context.env);
  HELVE_ASSIGN(const auto graph, factory->open(options.data, options.data, context.op));
  for (const std::string& text : options.texts) {
    HELVE_ASSIGN(const std::string line, measure_find(*graph, text, options.rounds, context));
    HELVE_TRY(context.show(line));
  }
  return {};
}

}  // namespace helve::cli
