// RecordedRun: one run of a trajectory by its steps, as stats.h, show.h, diff.h and rlm_log.h want
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/trajectory/trajectory_file.h"

namespace helve::agent {

using RecordedUsage = llm::Usage;

struct RecordedCall {
  std::string id;
  std::string name;
  JsonValue arguments;
  bool has_result = false;
  std::string handle;
  std::optional<std::uint64_t> rows;
  std::uint64_t chars = 0;  // of the reply
  std::string preview;
  bool is_error = false;
  std::string error;  // its words; may be empty
};

struct RecordedModelCall {
  bool is_sub = false;             // asked by code of the model (llm_query)
  std::string prompt;              // of such a one
  std::vector<std::string> calls;  // names of the tools that it wants called
  std::string text;
  std::string reasoning;
  std::string stop;
  std::string model;
  std::string error;
  RecordedUsage usage;
  std::uint64_t retries = 0;
  std::optional<std::uint64_t> chars;  // of the request
};

struct RecordedStep {
  std::uint64_t n = 0;
  std::string time;     // of its first event
  std::string message;  // of the caller to the model, before it; may be empty
  std::vector<RecordedModelCall> model_calls;
  std::vector<RecordedCall> calls;
  std::string reasoning;
  std::string code;
  std::string output;
  std::string error;
};

// What was said of the run by a judge, and what a bank was given for it. Both may come after its
// end.
struct RecordedJudgment {
  std::string verdict;
  std::string by;
  bool is_verified = false;
  std::optional<double> f1;
  std::string says;
};
struct RecordedMemory {
  std::string id;
  std::string title;
  std::string state;  // "added"
};

struct RecordedRun {
  std::uint64_t number = 0;  // in its file, from 1; damaged ones count
  std::uint64_t first_line = 0;
  std::string time;
  std::string task;
  std::string loop;
  std::string model;
  JsonValue start;  // the body of run_start
  std::uint64_t context_chars = 0;
  std::uint64_t system_chars = 0;
  std::vector<RecordedStep> steps;
  bool has_end = false;  // false: the process ended before, or still runs
  std::string stop_reason;
  std::string answer;
  std::string query;
  JsonValue end;  // the body of run_end
  RecordedUsage usage;
  std::optional<RecordedJudgment> judgment;  // the last one
  std::vector<RecordedMemory> memory;
  std::vector<TrajectoryEvent> events;

  bool is_rlm() const { return loop == "rlm"; }
};

// In the order in which they began.
std::vector<RecordedRun> runs_of(TrajectoryFile file);

}  // namespace helve::agent
