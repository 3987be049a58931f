#include "surfaces/cli/agent/ask_session.h"

#include <fmt/format.h>

#include "surfaces/cli/duration.h"
#include "surfaces/opening/policy_file.h"
#include "surfaces/opening/section.h"

namespace helve::cli {

namespace {

Result<agent::ContextHints> read_hints(const std::string& path, Env& env) {
  agent::ContextHints hints;
  if (path.empty()) return hints;
  HELVE_ASSIGN(const TomlDocument document, opening::read_policy_document(path, env));
  HELVE_ASSIGN(const auto section, opening::Section::open(document, "", document.root));
  HELVE_TRY(section.check_keys({"relevant", "business", "schema_summary"}));
  HELVE_ASSIGN(auto relevant, section.texts("relevant"));
  HELVE_ASSIGN(auto business, section.text("business"));
  HELVE_ASSIGN(hints.schema_summary, section.text("schema_summary"));
  if (relevant) hints.relevant = *std::move(relevant);
  if (business) hints.business = *std::move(business);
  return hints;
}

Result<void> read_limits(const AgentOptions& options, agent::RunLimits& limits) {
  limits.iterations_max = options.steps_max.value_or(limits.iterations_max);
  limits.tool_calls_max = options.calls_max.value_or(limits.tool_calls_max);
  limits.tokens_max = options.tokens_max.value_or(limits.tokens_max);
  limits.output_tokens_max = options.output_max.value_or(limits.output_tokens_max);
  limits.cost_max = options.cost_max;
  // Which of two calls at once stores its result first is not the same each time.
  if (!options.has_times) limits.parallel_calls_max = 1;
  if (options.time.empty()) return {};
  HELVE_ASSIGN(limits.time_max, parse_duration(options.time));
  if (limits.time_max <= Duration::zero()) {
    return Error{ErrorCode::InvalidInput, "--time 0 leaves no time for an answer",
                 "for example --time 2min"};
  }
  return {};
}

}  // namespace

Result<agent::AskRequest> read_ask_request(const AgentOptions& options, CommandContext& context) {
  agent::AskRequest request;
  HELVE_ASSIGN(request.loop, agent::read_loop(options.loop));
  HELVE_ASSIGN(request.context.layers, context::read_layers(options.layers));
  HELVE_TRY(context::set_budget(request.context, options.budget));
  HELVE_ASSIGN(request.hints, read_hints(options.hints, context.env));
  request.context.schema_summary = request.hints.schema_summary;
  HELVE_TRY(read_limits(options, request.limits));
  return request;
}

Result<std::unique_ptr<AskSession>> AskSession::open(const AgentOptions& options,
                                                     CommandContext& context) {
  std::unique_ptr<AskSession> session(new AskSession(context));
  HELVE_ASSIGN(session->request_, read_ask_request(options, context));
  HELVE_ASSIGN(const auto settings, llm::settle_provider(options.model, context.env));
  HELVE_ASSIGN(session->model_, llm::open_provider(settings, context.env));
  ToolSessionOptions tools = options.session;
  tools.is_lasting = true;
  tools.marks_data = true;
  // Results of a terminal's session would number those of a run otherwise each time.
  tools.is_kept = !tools.session.empty();
  HELVE_ASSIGN(session->tools_, ToolSession::open(tools, context));
  session->trajectory_ = agent::no_trajectory();
  if (!options.trajectory.empty()) {
    agent::TrajectoryOptions trajectory;
    trajectory.path = options.trajectory;
    trajectory.has_times = options.has_times;
    HELVE_ASSIGN(session->trajectory_, agent::open_trajectory(trajectory, context.env));
  }
  return session;
}

agent::AskResult AskSession::ask(const std::string& question, std::vector<llm::Message> history,
                                 const std::function<void(const agent::RunEvent&)>& on_event) {
  agent::AskRequest request = request_;
  request.question = question;
  request.context.task = question;
  request.history = std::move(history);
  const agent::RunParts parts{tools_->toolkit(), tools_->caller(), *model_, nullptr,
                              *trajectory_,      on_event,         {}};
  agent::AskResult result = agent::ask(request, parts, context_.op);
  request_.earlier_handles.insert(request_.earlier_handles.end(), result.run.handles.begin(),
                                  result.run.handles.end());
  return result;
}

void AskSession::finish() {
  if (const auto done = trajectory_->finish(); !done) context_.warn(done.error().message);
  tools_->finish();
}

Result<void> status_of(const agent::RunResult& run) {
  using agent::StopReason;
  if (run.has_converged()) return {};
  const std::string words(agent::name_of(run.stop));
  switch (run.stop) {
    case StopReason::Cancelled:
      return Error{ErrorCode::Cancelled, "cancelled"};
    case StopReason::Failed:
    case StopReason::Refused:
      return Error{ErrorCode::Unavailable, words};
    case StopReason::Submitted:
    case StopReason::StepCap:
    case StopReason::CallCap:
    case StopReason::TokenBudget:
    case StopReason::CostBudget:
    case StopReason::TimeBudget:
    case StopReason::OutputCap:
    case StopReason::NotSubmitted:
      break;
  }
  return Error{ErrorCode::LimitExceeded, words};
}

}  // namespace helve::cli
