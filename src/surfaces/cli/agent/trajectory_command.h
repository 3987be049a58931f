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
  std::vector<std::string> files;
  std::optional<std::uint64_t> run;  // from 1; nullopt: the last
  std::optional<std::uint64_t> step;
  bool is_full = false;
  bool is_json = false;
};

struct ReplayOptions {
  TrajectoryOptions trajectory;
  ToolSessionOptions session;
  std::string output;  // file for the new run; empty: none
};

// The runs of a file, one at least; what a crash cut is told. NotFound where there is none.
Result<std::vector<agent::RecordedRun>> read_runs(const std::string& file, CommandContext& context);
// One of them. NotFound where there are fewer.
Result<agent::RecordedRun> choose_run(std::vector<agent::RecordedRun> runs,
                                      std::optional<std::uint64_t> number);

Result<void> run_trajectory_show(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_diff(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_stats(const TrajectoryOptions& options, CommandContext& context);
Result<void> run_trajectory_export(const TrajectoryOptions& options, CommandContext& context);
// InvalidInput where something differs from the record.
Result<void> run_trajectory_replay(const ReplayOptions& options, CommandContext& context);

}  // namespace helve::cli
