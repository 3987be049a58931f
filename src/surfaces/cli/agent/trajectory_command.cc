#include "surfaces/cli/agent/trajectory_command.h"

#include "agent/trajectory/diff.h"
#include "agent/trajectory/plain_file.h"
#include "agent/trajectory/rlm_log.h"
#include "agent/trajectory/show.h"
#include "agent/trajectory/stats.h"
#include "surfaces/cli/agent/run_input.h"
#include "surfaces/cli/output_file.h"

namespace helve::cli {

namespace {

std::string json_lines(const JsonValue& value) {
  return to_json(value, JsonStyle::Indented) + "\n";
}

std::optional<std::uint64_t> number_at(const TrajectoryOptions& options, std::size_t index) {
  if (index >= options.runs.size()) return std::nullopt;
  return options.runs[index];
}

Result<agent::RecordedRun> read_one(const TrajectoryOptions& options, CommandContext& context) {
  return read_run(options.files.front(), number_at(options, 0), context);
}

struct RunPair {
  agent::RecordedRun left;
  agent::RecordedRun right;
};

// Two files, or two runs of one: the last two where nothing says which.
Result<RunPair> read_pair(const TrajectoryOptions& options, CommandContext& context) {
  if (options.runs.size() == 1 || options.runs.size() > 2) {
    return Error{ErrorCode::InvalidInput, "two runs are compared, and --run is for one of them",
                 "give it twice, or write FILE#N for each side"};
  }
  RunPair pair;
  const std::string& first = options.files.front();
  if (options.files.size() == 2) {
    HELVE_ASSIGN(pair.left, read_run(first, number_at(options, 0), context));
    HELVE_ASSIGN(pair.right, read_run(options.files[1], number_at(options, 1), context));
    return pair;
  }
  HELVE_ASSIGN(RunInput input, RunInput::open(first, context));
  if (options.runs.empty() && (input.named() || input.numbers().size() < 2)) {
    return Error{ErrorCode::InvalidInput, "one run alone cannot be compared",
                 "name two files, or one with two runs"};
  }
  const std::vector<std::uint64_t>& numbers = input.numbers();
  HELVE_ASSIGN(pair.left,
               input.copy(options.runs.empty() ? numbers[numbers.size() - 2] : options.runs[0]));
  HELVE_ASSIGN(pair.right, input.copy(options.runs.empty() ? numbers.back() : options.runs[1]));
  return pair;
}

}  // namespace

Result<agent::RecordedRun> read_run(const std::string& word, std::optional<std::uint64_t> number,
                                    CommandContext& context) {
  HELVE_ASSIGN(RunInput input, RunInput::open(word, context));
  HELVE_ASSIGN(const std::uint64_t chosen, input.choose(number));
  return std::move(input).take(chosen);
}

Result<void> run_trajectory_list(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(RunInput input, RunInput::open(options.files.front(), context));
  const auto runs = std::move(input).take_all();
  return context.show(options.is_json ? json_lines(agent::list_json(runs))
                                      : agent::list_text(runs));
}

Result<void> run_trajectory_show(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_one(options, context));
  const agent::ShowOptions wanted{options.step, options.is_full};
  if (options.is_json) {
    HELVE_ASSIGN(const JsonValue json, agent::show_json(run, wanted));
    return context.show(json_lines(json));
  }
  HELVE_ASSIGN(const std::string text, agent::show_run(run, wanted));
  return context.show(text);
}

Result<void> run_trajectory_diff(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const RunPair pair, read_pair(options, context));
  const agent::RunDiff diff = agent::diff_runs(pair.left, pair.right);
  HELVE_TRY(context.show(options.is_json ? json_lines(agent::diff_json(diff))
                                         : agent::diff_text(diff, options.is_full)));
  if (diff.is_same()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::InvalidInput, "the runs differ"};
}

Result<void> run_trajectory_stats(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_one(options, context));
  return context.show(options.is_json ? json_lines(agent::stats_json(run))
                                      : agent::stats_text(run));
}

Result<void> run_trajectory_export(const TrajectoryOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto run, read_one(options, context));
  if (options.output.empty() || options.output == "-") {
    HELVE_TRY(agent::write_rlm_log(run, context.out));
    return context.out.flush();
  }
  HELVE_TRY(agent::check_writable_file(options.output, "--output", context.env));
  HELVE_ASSIGN(OutputFile file, OutputFile::create(context.env, options.output));
  if (auto written = agent::write_rlm_log(run, file.sink()); !written) {
    return file.explained(std::move(written).error());
  }
  return file.finish();
}

}  // namespace helve::cli
