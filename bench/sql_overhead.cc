// What a source of Helve takes beside the bare client library, in one process and in turn:
// helve_sql_overhead HELVE URI. Prints a line of JSON for each statement. sql.py makes the table it
// reads and calls it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "bench/sql_bare.h"
#include "sources/sql/open/open_database.h"

namespace {

using namespace helve;

constexpr int kWarmRounds = 5;

class CountingSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    for (const auto& cell : cells) {
      if (cell) bytes += cell->value.size();
    }
    ++rows;
    return {};
  }

  std::size_t bytes = 0;
  std::size_t rows = 0;
};

[[noreturn]] void fail(const Error& error) {
  fmt::print(stderr, "sql_overhead: {} ({})\n", error.message, error.hint);
  std::exit(1);
}

std::size_t run_source(const TableSource& source, const std::string& sql) {
  OpContext context;
  context.deadline = Deadline(real_clock(), std::chrono::seconds(30));
  TableQuery query;
  query.sql = sql;
  CountingSink sink;
  const TableRun run = source.run(query, sink, context);
  if (run.error) fail(*run.error);
  return sink.rows;
}

double microseconds(MonotonicTime from) {
  return std::chrono::duration<double, std::micro>(real_clock().now() - from).count();
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `sql` has {} for a number that differs from round to round.
void measure(std::string_view name, std::string_view sql, int rounds, bench::BareClient& bare,
             const TableSource& source) {
  std::vector<double> bare_times;
  std::vector<double> source_times;
  std::size_t rows = 0;
  for (int round = -kWarmRounds; round < rounds; ++round) {
    const std::string text = fmt::format(fmt::runtime(sql), (round + kWarmRounds) * 7 % 9'000 + 1);
    MonotonicTime start = real_clock().now();
    bare.run(text);
    const double bare_time = microseconds(start);
    start = real_clock().now();
    rows = run_source(source, text);
    const double source_time = microseconds(start);
    if (round < 0) continue;
    bare_times.push_back(bare_time);
    source_times.push_back(source_time);
  }
  fmt::print("{{\"case\": \"{}\", \"rows\": {}, \"bare_us\": {:.1f}, \"source_us\": {:.1f}}}\n",
             name, rows, median(bare_times), median(source_times));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: helve_sql_overhead HELVE URI\n");
    return 2;
  }
  auto address = sql::read_database_uri(argv[2]);
  if (!address) fail(address.error());
  const auto bare = bench::connect_bare(*address);
  sql::DatabaseOptions options;
  options.name = "bench";
  options.address = *std::move(address);
  options.worker_command = {argv[1], "sql-worker"};
  const auto source = sql::open_database(std::move(options), real_env());
  if (!source) fail(source.error());
  measure("point", "SELECT id, name, amount, made_at, note FROM big WHERE id = {}", 2'000, *bare,
          **source);
  measure("rows", "SELECT id, name, amount, made_at, note FROM big WHERE id > {} * 0 LIMIT 10000",
          60, *bare, **source);
  return 0;
}
