// helve bench-load: how long each stage of a load takes and what it leaves in memory.
#include <malloc.h>

#include <fstream>
#include <string>

#include "surfaces/cli/command.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/load_input.h"

namespace helve::cli {

namespace {

// A line of /proc/self/status in bytes; 0 where there is none.
std::uint64_t process_status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size() + 1)) * 1'024;
  }
  return 0;
}

}  // namespace

Result<void> run_bench_load(const InputOptions& options, CommandContext& context) {
  const MonotonicTime start = context.env.clock().now();
  std::uint64_t anonymous_before = process_status_bytes("RssAnon:");
  HELVE_ASSIGN(auto documents, open_inputs(options, context));
  HELVE_ASSIGN(const store::Loaded loaded, load_inputs(std::move(documents), options, context));
  const Duration elapsed = context.env.clock().now() - start;
  ::malloc_trim(0);
  const auto& statistics = loaded.snapshot->statistics();
  return context.show(json_object([&](JsonWriter& json) {
    json.member("triples", statistics.triples);
    json.member("statements_read", loaded.report.statements_read);
    json.member("seconds", seconds(elapsed));
    json.member("seconds_reading", seconds(loaded.report.reading));
    json.member("seconds_terms", seconds(loaded.report.terms));
    json.member("seconds_sorting", seconds(loaded.report.sorting));
    json.member("seconds_counting", seconds(loaded.report.counting));
    json.member("bytes_store", loaded.snapshot->memory_bytes());
    json.member("bytes_dictionary", loaded.snapshot->dictionary().memory_bytes());
    json.member("bytes_indexes", loaded.snapshot->indexes().memory_bytes());
    json.member("bytes_steady", process_status_bytes("RssAnon:") - anonymous_before);
    json.member("bytes_peak", process_status_bytes("VmHWM:"));
  }));
}

}  // namespace helve::cli
