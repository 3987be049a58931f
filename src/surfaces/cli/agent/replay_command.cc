// helve trajectory replay.
#include <fmt/format.h>

#include "agent/ask/replay_run.h"
#include "surfaces/cli/agent/trajectory_command.h"

namespace helve::cli {

namespace {

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

}  // namespace

Result<void> run_trajectory_replay(const ReplayOptions& options, CommandContext& context) {
  HELVE_ASSIGN(auto runs, read_runs(options.trajectory.files.front(), context));
  HELVE_ASSIGN(const auto run, choose_run(std::move(runs), options.trajectory.run));
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
