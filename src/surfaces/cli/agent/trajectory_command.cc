#include "surfaces/cli/agent/trajectory_command.h"

#include <fmt/format.h>

#include "agent/trajectory/diff.h"
#include "agent/trajectory/rlm_log.h"
#include "agent/trajectory/show.h"
#include "agent/trajectory/stats.h"

namespace helve::cli {

namespace {

Result<agent::RecordedRun> read_run(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(auto runs, read_runs(options.files.front(), context));
  return choose_run(std::move(runs), options.run);
}

std::string lines_of(const JsonValue& value) { return to_json(value, JsonStyle::Indented) + "\n"; }

}  // namespace

Result<std::vector<agent::RecordedRun>> read_runs(const std::string& file,
                                                  CommandContext& context) {
  HELVE_ASSIGN(agent::TrajectoryFile read, agent::read_trajectory_file(file, context.env));
  for (const std::uint64_t line : read.cut_lines) {
    context.warn(
        fmt::format("{}:{}: the line was cut, by a crash or a full disk; what is before "
                    "it is read",
                    file, line));
  }
  if (read.unknown != 0) {
    context.note(
        fmt::format("{} of kinds that this version does not know", count_of(read.unknown, "line")));
  }
  auto runs = agent::runs_of(std::move(read));
  if (runs.empty()) {
    return Error{ErrorCode::NotFound, fmt::format("{} has no run", file),
                 "'helve ask --trajectory FILE' records one"};
  }
  return runs;
}

Result<agent::RecordedRun> choose_run(std::vector<agent::RecordedRun> runs,
                                      std::optional<std::uint64_t> number) {
  const std::uint64_t wanted = number.value_or(runs.size());
  if (wanted == 0 || wanted > runs.size()) {
    return Error{ErrorCode::NotFound, fmt::format("there is no run {}", wanted),
                 fmt::format("the file has {}", count_of(runs.size(), "run"))};
  }
  return std::move(runs[wanted - 1]);
}

Result<void> run_trajectory_show(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_run(options, context));
  HELVE_ASSIGN(const std::string text, agent::show_run(run, {options.step, options.is_full}));
  return context.show(text);
}

Result<void> run_trajectory_diff(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(auto left, read_runs(options.files.front(), context));
  std::optional<agent::RunDiff> diff;
  if (options.files.size() == 1) {
    if (left.size() < 2) {
      return Error{ErrorCode::InvalidInput, "one run alone cannot be compared",
                   "name two files, or one with two runs"};
    }
    diff = agent::diff_runs(left[left.size() - 2], left.back());
  } else {
    HELVE_ASSIGN(const auto right, read_runs(options.files[1], context));
    diff = agent::diff_runs(left.back(), right.back());
  }
  return context.show(options.is_json ? lines_of(agent::diff_json(*diff))
                                      : agent::diff_text(*diff, options.is_full));
}

Result<void> run_trajectory_stats(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_run(options, context));
  return context.show(options.is_json ? lines_of(agent::stats_json(run)) : agent::stats_text(run));
}

Result<void> run_trajectory_export(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_run(options, context));
  return context.show(agent::rlm_log_of(run));
}

}  // namespace helve::cli
