// A trajectory: what an agent did, one JSON object for each event, one line each, written as it
// happens. It is enough to run the same again without a model (replay.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::agent {

// run_start    task, loop, config, versions, origin, context (layers with texts), system
// iteration    n, reasoning, code (RLM), output (RLM), error
// tool_call    n, id, name, arguments (whole)
// tool_result  n, id, name, handle, rows, chars, preview, error, code, ms
// llm_call     n, request_hash, chars, answer (text, reasoning, calls, stop, model), usage,
//              retries, error, code, ms
// steering     n (the step before which it came), message or stop
// judgment, memory_write
// run_end      stop_reason, answer, query, query_hash, handles, iterations, usage, leakage
enum class EventKind : std::uint8_t {
  RunStart,
  Iteration,
  ToolCall,
  ToolResult,
  LlmCall,
  Judgment,
  MemoryWrite,
  RunEnd,
  Steering,
};
std::string_view name_of(EventKind kind);  // "run_start"

struct TrajectoryEvent {
  EventKind kind = EventKind::RunStart;
  JsonValue body;  // an object, without kind and time
};

// Where events go. Thread-safe. One run at a time: run_start begins the next.
class TrajectorySink {
 public:
  virtual ~TrajectorySink() = default;
  // A line that cannot be written is told once, by finish(); the run goes on.
  virtual void add(EventKind kind, JsonValue body) = 0;
  virtual Result<void> finish() = 0;
};

struct TrajectoryOptions {
  // Appended to; made where it is not there. Other processes may append to it at the same time:
  // each line names its run.
  std::filesystem::path path;
  bool continues = false;  // what comes before a run_start is of the last run of the file
  bool has_times = true;   // false: the same run gives the same bytes
  std::size_t line_bytes_max = 4 << 20;  // longer texts in a body are cut, and say so
};
// InvalidInput for a pipe or a socket, which nobody may ever read, for "-", and for a file that has
// something else in it than a trajectory.
Result<std::unique_ptr<TrajectorySink>> open_trajectory(const TrajectoryOptions& options, Env& env);
std::unique_ptr<TrajectorySink> no_trajectory();

// Of all runs. Strict about what it needs, forgiving about what it does not know. InvalidInput with
// the line.
Result<std::vector<TrajectoryEvent>> read_trajectory(const std::filesystem::path& path, Env& env);

}  // namespace helve::agent
