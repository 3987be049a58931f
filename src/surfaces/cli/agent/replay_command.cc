// helve trajectory replay.
#include <fmt/format.h>

#include "agent/ask/replay_run.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/plain_file.h"
#include "agent/trajectory/run_words.h"
#include "surfaces/cli/agent/trajectory_command.h"

namespace helve::cli {

namespace {

constexpr std::size_t kSourceChars = 1'000;

// What a replayed run does goes to a file too, if one is named.
Result<void> write_events(const std::vector<agent::TrajectoryEvent>& events,
                          const std::string& path, CommandContext& context) {
  if (path.empty()) return {};
  agent::TrajectoryOptions options;
  options.path = path;
  options.has_times = false;
  HELVE_ASSIGN(const auto sink, agent::open_trajectory(options, context.env));
  for (const agent::TrajectoryEvent& event : events) sink->add(event.kind, event.body);
  return sink->finish();
}

// "sample=sample:, shop=sqlite:shop.db": what the run was given.
std::string recorded_sources(const agent::RecordedRun& run) {
  const JsonValue sources = agent::member(agent::member(run.start, "origin"), "sources");
  std::string words;
  if (sources.if_array() != nullptr) {
    for (const JsonValue& one : *sources.if_array()) {
      words += fmt::format("{}--source '{}={}'", words.empty() ? "" : " ",
                           agent::text_member(one, "name"), agent::text_member(one, "uri"));
    }
  }
  if (!words.empty()) return words;
  const std::string name = agent::text_member(agent::member(run.start, "config"), "source");
  return name.empty() ? "" : fmt::format("--source '{}=...'", name);
}

// Without its sources every call would fail, and that would be told as a change of the data.
Result<void> check_sources(const ReplayOptions& options, const agent::RecordedRun& run) {
  if (!options.session.sources.empty()) return {};
  const std::string recorded = recorded_sources(run);
  if (recorded.empty()) return {};
  return Error{ErrorCode::InvalidInput, "the run asked sources, and none is named",
               fmt::format("it had {}", agent::one_line(recorded, kSourceChars))};
}

}  // namespace

Result<void> run_trajectory_replay(const ReplayOptions& options, CommandContext& context) {
  std::optional<std::uint64_t> number;
  if (!options.trajectory.runs.empty()) number = options.trajectory.runs.front();
  HELVE_ASSIGN(const auto run, read_run(options.trajectory.files.front(), number, context));
  HELVE_TRY(check_sources(options, run));
  if (!options.output.empty()) {
    HELVE_TRY(agent::check_writable_file(options.output, "--trajectory", context.env));
  }
  ToolSessionOptions session = options.session;
  session.is_lasting = true;
  session.marks_data = true;
  session.is_kept = !session.session.empty();
  HELVE_ASSIGN(const auto tools, ToolSession::open(session, context));
  const auto replayed = agent::replay_run(run, tools->toolkit(), tools->caller(), context.op);
  tools->finish();
  HELVE_TRY(replayed);
  HELVE_TRY(write_events(replayed->events, options.output, context));
  const agent::ReplayReport& report = replayed->report;
  HELVE_TRY(context.show(options.trajectory.is_json
                             ? to_json(agent::report_json(report), JsonStyle::Indented) + "\n"
                             : agent::report_text(report)));
  if (report.is_same()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::InvalidInput, "the run is not what it was"};
}

}  // namespace helve::cli
