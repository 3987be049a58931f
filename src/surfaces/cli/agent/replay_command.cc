// helve trajectory replay.
#include <fmt/format.h>

#include "agent/ask/ask.h"
#include "agent/ask/recorded_request.h"
#include "agent/llm/exchange_json.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/plain_file.h"
#include "agent/trajectory/replay.h"
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

// What the caller said before each step, in its place.
std::function<agent::Steering()> said_again(const agent::RecordedRun& run) {
  return [words = agent::recorded_words(run.events), step = std::uint64_t{0}]() mutable {
    agent::Steering steering;
    const auto found = words.find(++step);
    if (found == words.end()) return steering;
    steering.message = found->second.message;
    if (found->second.is_stop) steering.word = agent::Steering::Word::Stop;
    return steering;
  };
}

}  // namespace

Result<void> run_trajectory_replay(const ReplayOptions& options, CommandContext& context) {
  std::optional<std::uint64_t> number;
  if (!options.trajectory.runs.empty()) number = options.trajectory.runs.front();
  HELVE_ASSIGN(const auto run, read_run(options.trajectory.files.front(), number, context));
  HELVE_ASSIGN(const agent::RecordedRequest request, agent::recorded_request(run));
  HELVE_TRY(check_sources(options, run));
  if (!options.output.empty()) {
    HELVE_TRY(agent::check_writable_file(options.output, "--trajectory", context.env));
  }
  ToolSessionOptions session = options.session;
  session.is_lasting = true;
  session.marks_data = true;
  session.is_kept = !session.session.empty();
  HELVE_ASSIGN(const auto tools, ToolSession::open(session, context));
  const auto model = agent::recorded_model(run.events, llm::request_hash);
  const auto sub_model = agent::recorded_sub_model(model, run.events);
  agent::MemoryTrajectory trajectory;
  const agent::RunParts parts{
      tools->toolkit(), tools->caller(), *model, sub_model.get(), trajectory, {}, said_again(run)};
  // What is compared is what they write down, not what they give back.
  static_cast<void>(request.loop == agent::Loop::Rlm
                        ? agent::run_rlm(request.run, parts, context.op)
                        : agent::run_react(request.run, parts, context.op));
  tools->finish();
  HELVE_TRY(context.op.check());
  const auto events = trajectory.events();
  HELVE_TRY(write_events(events, options.output, context));
  const agent::ReplayReport report = agent::compare_events(run.events, events);
  HELVE_TRY(context.show(options.trajectory.is_json
                             ? to_json(agent::report_json(report), JsonStyle::Indented) + "\n"
                             : agent::report_text(report)));
  if (report.is_same()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::InvalidInput, "the run is not what it was"};
}

}  // namespace helve::cli
