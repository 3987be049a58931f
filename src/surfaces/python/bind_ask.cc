// ask: models, events and steering may be functions of Python.
#include "helve/ask.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "surfaces/python/bindings.h"
#include "surfaces/python/callback.h"
#include "surfaces/python/gil.h"
#include "surfaces/python/interrupt.h"
#include "surfaces/python/reading.h"

namespace helve::python {

namespace py = pybind11;

namespace {

py::list calls_of(const std::vector<api::ModelCall>& calls) {
  py::list out;
  for (const api::ModelCall& call : calls) {
    py::dict one;
    one["id"] = text_of(call.id);
    one["name"] = text_of(call.name);
    one["arguments"] = text_of(call.arguments);  // JSON
    out.append(one);
  }
  return out;
}

py::dict message_of(const api::ModelMessage& message) {
  constexpr const char* kRoles[] = {"user", "assistant", "tool"};
  py::dict out;
  out["role"] = kRoles[static_cast<int>(message.role)];
  out["text"] = text_of(message.text);
  out["calls"] = calls_of(message.calls);
  out["call_id"] = text_of(message.call_id);
  out["is_error"] = message.is_error;
  return out;
}

py::dict request_of(const api::ModelRequest& request) {
  py::list messages;
  for (const api::ModelMessage& message : request.messages) messages.append(message_of(message));
  py::list tools;
  for (const api::ModelTool& tool : request.tools) {
    py::dict one;
    one["name"] = text_of(tool.name);
    one["description"] = text_of(tool.description);
    one["input_schema"] = text_of(tool.input_schema);  // JSON
    tools.append(one);
  }
  py::dict out;
  out["system"] = text_of(request.system);
  out["messages"] = messages;
  out["tools"] = tools;
  out["output_tokens_max"] = request.output_tokens_max;
  return out;
}

// As helve.models makes it of whatever a model answers.
api::ModelAnswer answer_of(const py::dict& given) {
  const DictReader reader(given);
  api::ModelAnswer answer;
  reader.read("text", answer.text);
  reader.read("reasoning", answer.reasoning);
  for (const py::handle one : py::list(reader.has("calls") ? reader.object("calls") : py::list())) {
    const auto call_dict = one.cast<py::dict>();
    const DictReader call(call_dict);
    api::ModelCall& made = answer.calls.emplace_back();
    call.read("id", made.id);
    call.read("name", made.name);
    call.read("arguments", made.arguments);
  }
  reader.read("input_tokens", answer.input_tokens);
  reader.read("output_tokens", answer.output_tokens);
  reader.read("cost", answer.cost);
  reader.read("model", answer.model);
  return answer;
}

api::Model model_of(const py::object& callable, std::shared_ptr<Escape> escape) {
  if (!is_given(callable)) return {};
  return [model = Callback(callable), escape = std::move(escape)](
             const api::ModelRequest& request) -> api::Result<api::ModelAnswer> {
    return model.with_gil([&](const py::object& call) -> api::Result<api::ModelAnswer> {
      try {
        return answer_of(call(request_of(request)).cast<py::dict>());
      } catch (py::error_already_set& failure) {
        const std::string line = line_of(failure);
        if (escape->keep(failure)) return api::Error{api::ErrorCode::Cancelled, line, {}};
        return api::Error{api::ErrorCode::Unavailable, "the model raised " + line,
                          "it is a function of your program"};
      } catch (const std::exception& failure) {  // what it answered cannot be taken
        return api::Error{api::ErrorCode::InvalidInput,
                          std::string("the model's answer: ") + failure.what(),
                          "answer a text, or a dict as docs/python.md has it"};
      }
    });
  };
}

void read_settings(const py::dict& given, api::ModelSettings& settings) {
  const DictReader reader(given);
  reader.read("provider", settings.provider);
  reader.read("model", settings.model);
  reader.read("url", settings.url);
  reader.read("key", settings.key);
  reader.read("prices_file", settings.prices_file);
  reader.read("script", settings.script);
  reader.read("record", settings.record);
  reader.read("config_file", settings.config_file);
}

void read_limits(const py::dict& given, api::AskLimits& limits) {
  const DictReader reader(given);
  reader.read("steps_max", limits.steps_max);
  reader.read("tool_calls_max", limits.tool_calls_max);
  reader.read("model_calls_max", limits.model_calls_max);
  reader.read("tokens_max", limits.tokens_max);
  reader.read("cost_max", limits.cost_max);
  reader.read_time("time_max", limits.time_max);
}

std::function<void(const api::AskEvent&)> events_of(const py::object& callable,
                                                    std::shared_ptr<Escape> escape) {
  if (!is_given(callable)) return {};
  return [tell = Callback(callable), escape = std::move(escape)](const api::AskEvent& event) {
    tell.with_gil([&](const py::object& call) {
      try {
        call(text_of(event.kind), event.step, text_of(event.name), text_of(event.text), event.ms,
             event.is_error);
      } catch (py::error_already_set& failure) {
        // An event is told, and nobody waits for what the listener makes of it.
        if (!escape->keep(failure)) failure.discard_as_unraisable(call);
      }
    });
  };
}

std::function<api::AskSteering(std::uint64_t)> steering_of(const py::object& callable,
                                                           std::shared_ptr<Escape> escape) {
  if (!is_given(callable)) return {};
  return [ask = Callback(callable), escape = std::move(escape)](std::uint64_t step) {
    return ask.with_gil([&](const py::object& call) -> api::AskSteering {
      try {
        const auto [is_stop, message] = call(step).cast<std::pair<bool, std::string>>();
        return {is_stop, message};
      } catch (py::error_already_set& failure) {
        if (!escape->keep(failure)) failure.discard_as_unraisable(call);
        return {true, {}};
      }
    });
  };
}

api::AgentOptions agent_options(const py::dict& given, const std::shared_ptr<Escape>& escape) {
  const DictReader reader(given);
  api::AgentOptions options;
  options.model = model_of(reader.object("provider"), escape);
  options.sub_model = model_of(reader.object("sub_provider"), escape);
  if (reader.has("settings")) read_settings(py::dict(reader.object("settings")), options.settings);
  if (reader.has("sub_settings")) {
    read_settings(py::dict(reader.object("sub_settings")), options.sub_settings);
  }
  if (reader.has("limits")) read_limits(py::dict(reader.object("limits")), options.limits);
  reader.read("loop", options.loop);
  reader.read("signature", options.signature);
  reader.read("source", options.source);
  reader.read("layers", options.layers);
  reader.read("budget", options.budget);
  reader.read("relevant", options.relevant);
  reader.read("business", options.business);
  reader.read("schema_summary", options.schema_summary);
  reader.read("history", options.history);
  reader.read("trajectory_file", options.trajectory_file);
  reader.read("has_times", options.has_times);
  options.on_event = events_of(reader.object("on_event"), escape);
  options.steering = steering_of(reader.object("steering"), escape);
  return options;
}

// The answer as JSON.
py::str ask(const HeldTools& self, const std::string& question, const py::dict& given,
            std::optional<double> timeout, const api::CancelToken& cancel) {
  const auto tools = self.get();
  const auto escape = std::make_shared<Escape>(cancel);
  const api::AgentOptions options = agent_options(given, escape);
  const api::CallOptions call{time_of(timeout), cancel};
  std::optional<api::Result<api::AskAnswer>> answer;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    answer.emplace(api::ask(*tools, question, options, call));
  }
  escape->rethrow();
  check_interrupt();
  return text_of(value_or_raise(*std::move(answer)).json);
}

}  // namespace

void bind_ask(py::module_& module) {
  module.def("ask", &ask, py::arg("tools"), py::arg("question"), py::arg("options"),
             py::arg("timeout"), py::arg("cancel"));
}

}  // namespace helve::python
