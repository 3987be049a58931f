#include "surfaces/cli/agent/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "surfaces/cli/agent/script_input.h"

namespace helve::cli {

namespace {

constexpr std::size_t kInputBytesMax = 256 * kMiB;  // of standard input, which is kept whole

// "run.jsonl#2" is the second run of run.jsonl, unless there is a file of that name.
std::optional<std::uint64_t> split_number(std::string& word, Env& env) {
  const std::size_t hash = word.rfind('#');
  if (hash == std::string::npos || hash == 0 || env.files().status(word)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + hash + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  word.resize(hash);
  return number;
}

Result<agent::TrajectoryFile> read_file(const std::string& name, CommandContext& context) {
  if (name != "-") return agent::read_trajectory_file(name, context.env);
  HELVE_ASSIGN(const std::string text, read_text_file(name, kInputBytesMax, context));
  return agent::parse_trajectory(text, "standard input");
}

}  // namespace

Result<RunInput> RunInput::open(const std::string& word, CommandContext& context) {
  RunInput input;
  input.name_ = word;
  input.named_ = split_number(input.name_, context.env);
  HELVE_ASSIGN(input.file_, read_file(input.name_, context));
  for (const agent::TrajectoryLine& line : input.file_.lines) {
    if (line.event.kind == agent::EventKind::RunStart) input.numbers_.push_back(line.run);
  }
  if (input.numbers_.empty()) {
    if (!input.file_.damaged.empty()) return input.file_.damaged.front().error;
    return Error{ErrorCode::NotFound, fmt::format("{} has no run", input.name_),
                 "'helve ask --trajectory FILE' records one"};
  }
  input.tell(context);
  return input;
}

void RunInput::tell(CommandContext& context) const {
  for (const std::uint64_t line : file_.cut_lines) {
    context.warn(
        fmt::format("{}:{}: the line was cut, by a crash or a full disk; what is before "
                    "it is read",
                    name_, line));
  }
  for (const agent::DamagedRun& one : file_.damaged) {
    Error error = one.error;
    error.hint.clear();
    context.warn(fmt::format("{}; run {} is left out", error.to_string(), one.run));
  }
  if (file_.unknown != 0) {
    context.note(fmt::format("{} of kinds that this version does not know",
                             count_of(file_.unknown, "line")));
  }
  if (file_.stray != 0) {
    context.warn(fmt::format("{} of runs whose beginning is not there, left out",
                             count_of(file_.stray, "line")));
  }
}

Result<std::uint64_t> RunInput::choose(std::optional<std::uint64_t> number) const {
  if (number && named_ && *named_ != *number) {
    return Error{ErrorCode::InvalidInput, "the file and --run name different runs",
                 "leave one of them out"};
  }
  if (!number) number = named_;
  return number.value_or(numbers_.back());
}

Result<void> RunInput::check(std::uint64_t number) const {
  if (std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end()) return {};
  for (const agent::DamagedRun& one : file_.damaged) {
    if (one.run == number) return one.error;
  }
  return Error{ErrorCode::NotFound, fmt::format("there is no run {}", number),
               fmt::format("the file has {}", count_of(file_.runs, "run"))};
}

Result<agent::RecordedRun> RunInput::take(std::uint64_t number) && {
  HELVE_TRY(check(number));
  std::erase_if(file_.lines,
                [number](const agent::TrajectoryLine& line) { return line.run != number; });
  return std::move(agent::runs_of(std::move(file_)).front());
}

Result<agent::RecordedRun> RunInput::copy(std::uint64_t number) const {
  HELVE_TRY(check(number));
  agent::TrajectoryFile one;
  for (const agent::TrajectoryLine& line : file_.lines) {
    if (line.run == number) one.lines.push_back(line);
  }
  return std::move(agent::runs_of(std::move(one)).front());
}

std::vector<agent::RecordedRun> RunInput::take_all() && { return agent::runs_of(std::move(file_)); }

}  // namespace helve::cli
