// Two recorded runs beside each other: where they part, what came of the same steps, and of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

// One line of the comparison.
struct RunDifference {
  std::string what;  // "task", "end", "answer", "cost", ...
  std::string left;
  std::string right;
};

struct RunDiff {
  // The first step whose calls, arguments or code differ; nullopt: none, steps and end are alike.
  std::optional<std::uint64_t> first_step;
  std::vector<RunDifference> calls;  // of that step, in pairs; "" where one side has no more
  // What came of calls and code that both made: "step 1, sparql_query: rows".
  std::vector<RunDifference> results;
  std::uint64_t results_left_out = 0;  // beyond kResultsMax
  std::vector<RunDifference> outcome;  // what differs of task, loop, end, answer, query and counts
  bool is_same() const { return !first_step && results.empty() && outcome.empty(); }
};
inline constexpr std::size_t kResultsMax = 50;

RunDiff diff_runs(const RecordedRun& left, const RecordedRun& right);

// "Both runs do the same" or the comparison. `is_full`: texts whole.
std::string diff_text(const RunDiff& diff, bool is_full);
JsonValue diff_json(const RunDiff& diff);

}  // namespace helve::agent
