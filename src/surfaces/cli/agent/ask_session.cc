#include "surfaces/cli/agent/ask_session.h"

#include <fmt/format.h>

#include "agent/llm/scripted.h"
#include "agent/trajectory/plain_file.h"
#include "surfaces/cli/agent/script_input.h"
#include "surfaces/cli/agent/watched_model.h"
#include "surfaces/cli/duration.h"
#include "surfaces/opening/policy_file.h"
#include "surfaces/opening/section.h"

namespace helve::cli {

namespace {

Result<agent::ContextHints> read_hints(const std::string& path, Env& env) {
  agent::ContextHints hints;
  if (path.empty()) return hints;
  HELVE_TRY(agent::check_readable_file(path, "--hints", env));
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

Result<void> check_source(const AgentOptions& options) {
  if (!options.session.sources.empty() || options.is_without_source) return {};
  return Error{ErrorCode::InvalidInput,
               "no source is named, and the model would be asked without any data",
               "name one with --source, such as --source sample: or --source data.ttl; "
               "--no-source asks all the same"};
}

}  // namespace

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

Result<agent::AskRequest> read_ask_request(const AgentOptions& options, CommandContext& context) {
  agent::AskRequest request;
  HELVE_ASSIGN(request.loop, agent::read_loop(options.loop));
  HELVE_ASSIGN(request.context.layers, context::read_layers(options.layers));
  HELVE_TRY(context::set_budget(request.context, options.budget));
  HELVE_ASSIGN(request.hints, read_hints(options.hints, context.env));
  request.context.schema_summary = request.hints.schema_summary;
  request.signature = options.signature;
  HELVE_TRY(read_limits(options, request.limits));
  return request;
}

Result<std::unique_ptr<AskSession>> AskSession::open(const AgentOptions& options,
                                                     CommandContext& context) {
  std::unique_ptr<AskSession> session(new AskSession(context));
  HELVE_ASSIGN(session->request_, read_ask_request(options, context));
  HELVE_ASSIGN(session->models_,
               agent::open_models(options.models, session->request_.loop, context.env));
  const agent::ChosenModels& models = session->models_;
  HELVE_TRY(agent::check_request(session->request_, *models.model, models.sub_model.get()));
  HELVE_TRY(check_source(options));
  HELVE_TRY(session->open_tools(options));
  session->trajectory_ = agent::no_trajectory();
  if (!options.trajectory.empty()) {
    agent::TrajectoryOptions trajectory;
    trajectory.path = options.trajectory;
    trajectory.has_times = options.has_times;
    HELVE_ASSIGN(session->trajectory_, agent::open_trajectory(trajectory, context.env));
  }
  return session;
}

Result<std::unique_ptr<AskSession>> AskSession::open_with(std::shared_ptr<llm::Provider> model,
                                                          const AgentOptions& options,
                                                          CommandContext& context) {
  std::unique_ptr<AskSession> session(new AskSession(context));
  HELVE_ASSIGN(session->request_, read_ask_request(options, context));
  session->models_.model = std::move(model);
  HELVE_TRY(agent::check_request(session->request_, *session->models_.model, nullptr));
  HELVE_TRY(check_source(options));
  session->trajectory_ = agent::no_trajectory();
  HELVE_TRY(session->open_tools(options));
  return session;
}

Result<void> AskSession::open_tools(const AgentOptions& options) {
  ToolSessionOptions tools = options.session;
  tools.is_lasting = true;
  tools.marks_data = true;
  // Results of a terminal's session would number those of a run otherwise each time.
  tools.is_kept = is_kept_ = !tools.session.empty();
  HELVE_ASSIGN(tools_, ToolSession::open(tools, context_));
  return {};
}

agent::AskResult AskSession::ask(const std::string& question, std::vector<llm::Message> history,
                                 const AskHooks& hooks) {
  agent::AskRequest request = request_;
  request.question = question;
  request.context.task = question;
  request.history = std::move(history);
  WatchedModel model(*models_.model, hooks.on_wait);
  const agent::RunParts parts{tools_->toolkit(),       tools_->caller(), model,
                              models_.sub_model.get(), *trajectory_,     hooks.on_event,
                              hooks.steering};
  agent::AskResult result = agent::ask(request, parts, context_.op);
  request_.earlier_handles.insert(request_.earlier_handles.end(), result.run.handles.begin(),
                                  result.run.handles.end());
  return result;
}

std::string AskSession::model_words() const {
  const std::string model = models_.model->model();
  return models_.host.empty() ? model : fmt::format("{} at {}", model, models_.host);
}

LostRecords AskSession::end_records() {
  LostRecords lost;
  if (const auto done = trajectory_->finish(); !done) lost.trajectory = done.error();
  for (const auto& model : {models_.model, models_.sub_model}) {
    if (model != nullptr && !lost.record) lost.record = llm::record_failure(*model);
  }
  return lost;
}

void tell_lost(const LostRecords& lost, const CommandContext& context) {
  if (lost.trajectory) context.warn(lost.trajectory->message);
  if (lost.record) context.warn(lost.record->message);
}

Result<std::string> checked_question(std::string question) {
  HELVE_TRY(check_text(question, "the question"));
  const std::size_t end = question.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) {
    return Error{ErrorCode::InvalidInput, "the question is empty",
                 "helve ask 'Which planets have rings?' --source sample:"};
  }
  question.resize(end + 1);
  return question;
}

Result<void> status_of(const agent::RunResult& run) {
  using agent::StopReason;
  if (run.has_converged()) return {};
  const std::string words(agent::name_of(run.stop));
  switch (run.stop) {
    case StopReason::Cancelled:
      return Error{ErrorCode::Cancelled, "cancelled"};
    case StopReason::Failed:
      // A key that is not taken is no outage.
      if (run.error && run.error->code == ErrorCode::Denied) return *run.error;
      return Error{ErrorCode::Unavailable, words};
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
