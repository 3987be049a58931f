#include "helve/sandbox.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/python_tools/python_tools.h"
#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "surfaces/api/state.h"

namespace helve::api {

namespace {

helve::Error to_core(const Error& error) {
  return {static_cast<helve::ErrorCode>(error.code), error.message, error.hint};
}

Result<void> done_of(const helve::Result<void>& done) {
  if (!done) return to_public(done.error());
  return {};
}

sandbox::SandboxLimits to_core(const SandboxLimits& limits) {
  sandbox::SandboxLimits inner;
  inner.start_time = limits.start_time;
  inner.block_time = limits.block_time;
  inner.cpu_seconds_max = limits.cpu_seconds_max;
  inner.memory_bytes_max = limits.memory_bytes_max;
  inner.output_bytes_kept = limits.output_bytes_kept;
  inner.output_bytes_max = limits.output_bytes_max;
  inner.tool_calls_max = limits.tool_calls_max;
  inner.model_calls_max = limits.model_calls_max;
  return inner;
}

sandbox::SandboxOptions to_core(const SandboxOptions& options) {
  sandbox::SandboxOptions inner;
  inner.limits = to_core(options.limits);
  inner.python = options.python;
  // Whole paths: the code is in another folder.
  for (const std::string& folder : options.module_folders) {
    std::error_code error;
    inner.module_folders.push_back(std::filesystem::absolute(folder, error));
  }
  for (const SubmitField& field : options.submit_fields) {
    inner.submit_fields.push_back({field.name, field.type});
  }
  inner.allows_missing_layers = options.allows_missing_layers;
  if (options.on_event) {
    inner.on_event = [tell = options.on_event](const sandbox::Event& event) {
      tell({name_of(event.kind), event.name, event.text, event.ms, event.is_error});
    };
  }
  return inner;
}

sandbox::FunctionHandler handler_of(const SandboxTool& tool) {
  return [call = tool.call](const JsonValue& arguments,
                            const OpContext& context) -> helve::Result<sandbox::FunctionValue> {
    const std::string given = to_json(arguments);
    return without_throwing([&]() -> helve::Result<sandbox::FunctionValue> {
      const auto answer = call({given, context.deadline.remaining()});
      if (!answer) return to_core(answer.error());
      HELVE_ASSIGN(JsonValue value, parse_json(*answer, context.limits));
      return sandbox::FunctionValue{std::move(value), {}};
    });
  };
}

helve::Result<sandbox::Function> to_core(const SandboxTool& tool) {
  sandbox::Function function;
  function.name = tool.name;
  function.doc = tool.doc;
  function.returns = tool.returns;
  if (!tool.call) {
    return helve::Error{helve::ErrorCode::InvalidInput, tool.name + " has nothing to call",
                        "set SandboxTool::call"};
  }
  for (const SandboxParameter& parameter : tool.parameters) {
    sandbox::FunctionParameter& inner = function.parameters.emplace_back();
    inner.name = parameter.name;
    inner.type = parameter.type;
    inner.is_required = parameter.is_required;
    if (parameter.otherwise) {
      HELVE_ASSIGN(inner.otherwise, parse_json(*parameter.otherwise));
    }
  }
  function.handler = handler_of(tool);
  return function;
}

BlockResult result_of(sandbox::BlockResult result) {
  BlockResult out;
  out.end = static_cast<BlockEnd>(result.end);
  out.output = std::move(result.output);
  out.output_omitted_bytes = result.output_omitted_bytes;
  out.value = std::move(result.value);
  out.value_type = std::move(result.value_type);
  if (result.error) {
    out.error = {std::move(result.error->type), std::move(result.error->message),
                 std::move(result.error->traceback), result.error->line};
  }
  out.submitted = std::move(result.submitted);
  if (result.lost) out.lost = to_public(*result.lost);
  out.tool_calls = result.tool_calls;
  out.model_calls = result.model_calls;
  out.ms = result.ms;
  return out;
}
static_assert(static_cast<int>(BlockEnd::Lost) == static_cast<int>(sandbox::BlockEnd::Lost));

}  // namespace

struct Sandbox::State {
  std::shared_ptr<Executor> executor;  // null: one core
  std::unique_ptr<sandbox::Sandbox> session;
};

Sandbox::Sandbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sandbox::Sandbox(Sandbox&&) noexcept = default;
Sandbox& Sandbox::operator=(Sandbox&&) noexcept = default;
Sandbox::~Sandbox() = default;

Result<Sandbox> Sandbox::start(const SandboxOptions& options, const CallOptions& call) {
  auto state = std::make_unique<State>();
  state->executor = shared_executor();
  auto session = without_throwing([&] {
    return sandbox::Sandbox::start(to_core(options),
                                   context_of(call.timeout, call.cancel, state->executor.get()));
  });
  if (!session) return to_public(session.error());
  state->session = *std::move(session);
  return Sandbox(std::move(state));
}

Result<void> Sandbox::register_tool(const SandboxTool& tool) {
  return done_of(without_throwing([&]() -> helve::Result<void> {
    HELVE_ASSIGN(sandbox::Function function, to_core(tool));
    return state_->session->register_tool(std::move(function));
  }));
}

Result<void> Sandbox::register_tools(const Tools& tools) {
  // The copy keeps what the tools stand on.
  const auto call = [tools](std::string_view tool, const JsonValue& arguments,
                            const OpContext& context) {
    return run_call(tools.state(), tool, arguments, {}, context);
  };
  const Tools::State& state = tools.state();
  const toolkit::Policy& policy = *state.caller.policy;
  return done_of(without_throwing([&]() -> helve::Result<void> {
    HELVE_TRY(state_->session->register_tools(
        python_tools::functions_of(state.shared->toolkit->registry(), policy, call)));
    state_->session->set_rows_reader(python_tools::rows_reader(policy, call));
    return {};
  }));
}

void Sandbox::set_model(SandboxModel model) {
  state_->session->set_model(
      [model = std::move(model)](
          const std::vector<std::string>& prompts,
          const OpContext& /*context*/) -> helve::Result<std::vector<std::string>> {
        return without_throwing([&]() -> helve::Result<std::vector<std::string>> {
          auto answers = model(prompts);
          if (!answers) return to_core(answers.error());
          return *std::move(answers);
        });
      });
}

Result<BlockResult> Sandbox::execute(std::string_view code,
                                     const std::vector<SandboxVariable>& variables,
                                     const CallOptions& call) {
  auto result = without_throwing([&]() -> helve::Result<sandbox::BlockResult> {
    std::vector<sandbox::Variable> inner;
    inner.reserve(variables.size());
    for (const SandboxVariable& variable : variables) {
      inner.push_back({variable.name, variable.json, {}});
    }
    return state_->session->execute(code, inner,
                                    context_of(call.timeout, call.cancel, state_->executor.get()));
  });
  if (!result) return to_public(result.error());
  return result_of(*std::move(result));
}

Result<std::string> Sandbox::variable(std::string_view name, const CallOptions& call) {
  const OpContext context = context_of(call.timeout, call.cancel, state_->executor.get());
  auto text = without_throwing([&] { return state_->session->variable(name, context); });
  if (!text) return to_public(text.error());
  return *std::move(text);
}

Result<std::vector<SandboxView>> Sandbox::variables(const CallOptions& call) {
  const OpContext context = context_of(call.timeout, call.cancel, state_->executor.get());
  auto found = without_throwing([&] { return state_->session->variables(context); });
  if (!found) return to_public(found.error());
  std::vector<SandboxView> views;
  for (sandbox::VariableView& view : *found) {
    views.push_back(
        {std::move(view.name), std::move(view.type), view.length, std::move(view.preview)});
  }
  return views;
}

std::vector<SandboxLayer> Sandbox::layers() const {
  std::vector<SandboxLayer> layers;
  for (const sandbox::LayerState& layer : state_->session->layers()) {
    layers.push_back({std::string(name_of(layer.layer)), std::string(purpose_of(layer.layer)),
                      layer.detail, layer.holds});
  }
  return layers;
}

std::string Sandbox::interpreter() const { return state_->session->interpreter(); }
bool Sandbox::is_alive() const { return state_->session->is_alive(); }
void Sandbox::shutdown() { state_->session->shutdown(); }

}  // namespace helve::api
