#include "helve/ask.h"

#include <utility>

#include "agent/ask/ask.h"
#include "agent/ask/model_choice.h"
#include "agent/llm/answer_parts.h"
#include "agent/llm/scripted.h"
#include "agent/trajectory/trajectory.h"
#include "base/ascii.h"
#include "base/json.h"
#include "surfaces/api/state.h"

namespace helve::api {

namespace {

ModelMessage message_of(const llm::Message& message) {
  ModelMessage out;
  out.role = static_cast<ModelMessage::Role>(message.role);
  out.text = message.text;
  for (const llm::ToolUse& use : message.calls) {
    out.calls.push_back({use.id, use.name, to_json(use.arguments)});
  }
  out.call_id = message.call_id;
  out.is_error = message.is_error;
  return out;
}
static_assert(static_cast<int>(ModelMessage::Role::Tool) == static_cast<int>(llm::Role::Tool));

llm::Answer to_answer(ModelAnswer answer, const llm::Request& request) {
  llm::Answer out;
  out.text = std::move(answer.text);
  out.reasoning = std::move(answer.reasoning);
  for (ModelCall& call : answer.calls) {
    out.calls.push_back(
        llm::make_call(std::move(call.id), std::move(call.name), std::move(call.arguments)));
  }
  llm::name_calls(out.calls, request);
  out.stop = out.calls.empty() ? llm::Stop::EndTurn : llm::Stop::ToolCalls;
  if (answer.input_tokens == 0 && answer.output_tokens == 0) {
    out.usage = llm::estimated_usage(request, out);
  } else {
    out.usage.input_tokens = answer.input_tokens;
    out.usage.output_tokens = answer.output_tokens;
  }
  out.usage.cost = answer.cost;
  out.model = std::move(answer.model);
  return out;
}

// A function of the program as a provider.
class CalledModel final : public llm::Provider {
 public:
  CalledModel(Model model, CancelToken cancel)
      : model_(std::move(model)), cancel_(std::move(cancel)) {}

  helve::Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                                      const llm::StreamSink* /*sink*/) override {
    HELVE_TRY(context.check());
    ModelRequest out;
    out.cancel = cancel_;
    out.system = request.system;
    out.output_tokens_max = request.output_tokens_max;
    for (const llm::Message& message : request.messages) {
      out.messages.push_back(message_of(message));
    }
    for (const llm::ToolDeclaration& tool : request.tools) {
      out.tools.push_back({tool.name, tool.description, to_json(tool.input_schema)});
    }
    return without_throwing([&]() -> helve::Result<llm::Answer> {
      auto answer = model_(out);
      if (!answer) {
        return helve::Error{static_cast<helve::ErrorCode>(answer.error().code),
                            answer.error().message, answer.error().hint};
      }
      return to_answer(*std::move(answer), request);
    });
  }

  std::string name() const override { return "function"; }
  std::string model() const override { return "of the program"; }

 private:
  Model model_;
  CancelToken cancel_;
};

llm::ProviderWords words_of(const ModelSettings& settings) {
  return {settings.provider,    settings.model,  settings.url,    settings.key,
          settings.prices_file, settings.script, settings.record, settings.config_file};
}

// Functions of the program go before settings.
helve::Result<agent::ChosenModels> models_of(const AgentOptions& options, agent::Loop loop,
                                             const CallOptions& call) {
  agent::ModelWords words{words_of(options.settings), words_of(options.sub_settings)};
  if (options.sub_model) words.sub_model = {};
  agent::ChosenModels chosen;
  if (options.model) {
    chosen.model = std::make_shared<CalledModel>(options.model, call.cancel);
    if (agent::is_given(words.sub_model)) {
      words.model = words.sub_model;
      words.sub_model = {};
      HELVE_ASSIGN(auto sub, agent::open_models(words, loop, real_env()));
      chosen.sub_model = std::move(sub.model);
    }
  } else {
    HELVE_ASSIGN(chosen, agent::open_models(words, loop, real_env()));
  }
  if (options.sub_model) {
    chosen.sub_model = std::make_shared<CalledModel>(options.sub_model, call.cancel);
  }
  if (chosen.sub_model == nullptr || loop == agent::Loop::Rlm) return chosen;
  return helve::Error{helve::ErrorCode::InvalidInput,
                      "only code asks a sub-model, and the loop react runs none",
                      "take the loop rlm, or leave the sub-model out"};
}

// A throwing one would end the process on a thread of the run.
std::function<agent::Steering()> steering_of(const AgentOptions& options) {
  if (!options.steering) return {};
  return [&options, step = std::uint64_t{0}]() mutable {
    ++step;
    auto word =
        without_throwing([&]() -> helve::Result<AskSteering> { return options.steering(step); });
    agent::Steering out;
    if (!word || word->is_stop) out.word = agent::Steering::Word::Stop;
    if (word) out.message = std::move(word->message);
    return out;
  };
}

helve::Result<agent::AskRequest> request_of(std::string_view question,
                                            const AgentOptions& options) {
  agent::AskRequest request;
  if (helve::is_blank(question)) {
    return helve::Error{helve::ErrorCode::InvalidInput, "the question is empty"};
  }
  request.question = question;
  request.context.task = question;
  request.source = options.source;
  request.signature = options.signature;
  HELVE_ASSIGN(request.loop, agent::read_loop(options.loop));
  HELVE_ASSIGN(request.context.layers, context::read_layers(options.layers));
  HELVE_TRY(context::set_budget(request.context, options.budget));
  request.hints.relevant = options.relevant;
  request.hints.business = options.business;
  if (!options.schema_summary.empty()) request.hints.schema_summary = options.schema_summary;
  request.context.schema_summary = request.hints.schema_summary;
  for (const auto& [asked, answered] : options.history) {
    request.history.push_back({llm::Role::User, asked});
    request.history.push_back({llm::Role::Assistant, answered});
  }
  request.limits.iterations_max = options.limits.steps_max;
  request.limits.tool_calls_max = options.limits.tool_calls_max;
  request.limits.model_calls_max = options.limits.model_calls_max;
  request.limits.tokens_max = options.limits.tokens_max;
  request.limits.cost_max = options.limits.cost_max;
  request.limits.time_max = options.limits.time_max;
  // Which of two calls at once stores its result first is not the same each time.
  if (!options.has_times) request.limits.parallel_calls_max = 1;
  return request;
}

helve::Result<std::unique_ptr<agent::TrajectorySink>> trajectory_of(const AgentOptions& options) {
  if (options.trajectory_file.empty()) return agent::no_trajectory();
  agent::TrajectoryOptions wanted;
  wanted.path = options.trajectory_file;
  wanted.has_times = options.has_times;
  return agent::open_trajectory(wanted, real_env());
}

AskAnswer answer_of(const agent::AskResult& result) {
  const agent::RunResult& run = result.run;
  AskAnswer out;
  out.has_converged = run.has_converged();
  out.stop_reason = agent::name_of(run.stop);
  out.content = run.content;
  out.query = run.query;
  for (const agent::Evidence& one : run.evidence) {
    out.evidence.push_back({one.handle, one.query, one.query_hash, one.source, one.rows});
  }
  out.tools_used = run.tools_used;
  out.steps = run.iterations;
  out.tool_calls = run.tool_calls;
  out.input_tokens = run.usage.input_tokens;
  out.output_tokens = run.usage.output_tokens;
  out.cost = run.usage.cost;
  if (run.error) out.error = to_public(*run.error);
  out.json = to_json(result.to_json());
  out.ms = run.ms;
  return out;
}

helve::Result<AskAnswer> run_ask(const Tools::State& state, std::string_view question,
                                 const AgentOptions& options, const CallOptions& call) {
  HELVE_ASSIGN(const agent::AskRequest request, request_of(question, options));
  HELVE_ASSIGN(const auto models, models_of(options, request.loop, call));
  HELVE_TRY(agent::check_request(request, *models.model, models.sub_model.get()));
  HELVE_ASSIGN(const auto trajectory, trajectory_of(options));
  std::function<void(const agent::RunEvent&)> on_event;
  if (options.on_event) {
    on_event = [&options](const agent::RunEvent& event) {
      options.on_event({agent::name_of(event.kind), event.iteration, event.name, event.text,
                        event.ms, event.is_error});
    };
  }
  const agent::RunParts parts{*state.shared->toolkit, state.caller, *models.model,
                              models.sub_model.get(), *trajectory,  on_event,
                              steering_of(options)};
  const OpContext context = context_of(call.timeout, call.cancel, state.shared->executor.get());
  AskAnswer answer = answer_of(agent::ask(request, parts, context));
  if (const auto done = trajectory->finish(); !done) {
    answer.trajectory_error = to_public(done.error());
  }
  for (const auto& one : {models.model, models.sub_model}) {
    if (one == nullptr || answer.record_error) continue;
    if (const auto failure = llm::record_failure(*one)) answer.record_error = to_public(*failure);
  }
  return answer;
}

}  // namespace

Result<AskAnswer> ask(const Tools& tools, std::string_view question, const AgentOptions& options,
                      const CallOptions& call) {
  auto answer = without_throwing([&] { return run_ask(tools.state(), question, options, call); });
  if (!answer) return to_public(answer.error());
  return *std::move(answer);
}

}  // namespace helve::api
