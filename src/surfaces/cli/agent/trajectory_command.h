// helve trajectory: recorded runs of agents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/trajectory/recorded_run.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

struct TrajectoryOptions {
  std::vector<std::string> files;   // FILE, FILE#N for a run of it, "-" for standard input
  std::vector<std::uint64_t> runs;  // from 1, one for each side of diff; empty: the last
  std::optional<std::uint64_t> step;
  bool is_full = false;
  bool is_json = false;
  std::string output;  // of export; empty: standard output
};

struct ReplayOptions {
  TrajectoryOptions trajectory;
  ToolSessionOptions session;
  std::string output;  // file for the new run; empty: none
};

// The run that a word and --run name; the last that is whole where neither says which. What a crash
// cut, and runs that cannot be read, are told. NotFound where there is none; InvalidInput for one
// that is damaged.
Result<agent::RecordedRun> read_run(const std::string& word, std::optional<std::uint64_t> number,
                                    CommandContext& context);

Result<void> run_trajectory_list(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_show(const TrajectoryOptions& options, CommandContext& context);
// InvalidInput where the runs differ.
Result<void> run_trajectory_diff(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_stats(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_export(const TrajectoryOptions& options, CommandContext& context);
// InvalidInput where something differs from the record.
Result<void> run_trajectory_replay(const ReplayOptions& options, CommandContext& context);

}  // namespace helve::cli
