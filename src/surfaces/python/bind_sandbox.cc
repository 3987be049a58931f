// Sandbox: tools and models of the guest may be functions of Python.
#include "helve/sandbox.h"

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

// What callbacks let through, of the block that runs. The callbacks of a sandbox share it.
struct EscapeSlot {
  std::shared_ptr<Escape> current;

  bool keep(py::error_already_set& failure) const {
    return current != nullptr && current->keep(failure);
  }
};

struct Session {
  Held<api::Sandbox> sandbox;
  std::shared_ptr<EscapeSlot> escape;
};

api::SandboxOptions sandbox_options(const py::dict& given,
                                    const std::shared_ptr<EscapeSlot>& escape) {
  const DictReader reader(given);
  api::SandboxOptions options;
  api::SandboxLimits& limits = options.limits;
  reader.read_time("start_time", limits.start_time);
  reader.read_time("block_time", limits.block_time);
  reader.read("cpu_seconds_max", limits.cpu_seconds_max);
  reader.read("memory_bytes_max", limits.memory_bytes_max);
  reader.read("output_bytes_kept", limits.output_bytes_kept);
  reader.read("output_bytes_max", limits.output_bytes_max);
  reader.read("tool_calls_max", limits.tool_calls_max);
  reader.read("model_calls_max", limits.model_calls_max);
  reader.read("python", options.python);
  reader.read("module_folders", options.module_folders);
  std::vector<std::pair<std::string, std::string>> fields;
  reader.read("submit_fields", fields);
  for (auto& [name, type] : fields) options.submit_fields.push_back({name, type});
  reader.read("allows_missing_layers", options.allows_missing_layers);
  if (const py::object listener = reader.object("on_event"); is_given(listener)) {
    options.on_event = [tell = Callback(listener), escape](const api::SandboxEvent& event) {
      tell.with_gil([&](const py::object& call) {
        try {
          call(text_of(event.kind), text_of(event.name), text_of(event.text), event.ms,
               event.is_error);
        } catch (py::error_already_set& failure) {
          if (!escape->keep(failure)) failure.discard_as_unraisable(call);
        }
      });
    };
  }
  return options;
}

std::unique_ptr<Session> start(const py::dict& given, std::optional<double> timeout,
                               const api::CancelToken& cancel) {
  const auto escape = std::make_shared<EscapeSlot>();
  const api::SandboxOptions options = sandbox_options(given, escape);
  std::optional<api::Result<api::Sandbox>> made;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    made.emplace(api::Sandbox::start(options, {time_of(timeout), cancel}));
  }
  check_interrupt();
  return std::make_unique<Session>(
      Session{Held<api::Sandbox>(value_or_raise(*std::move(made))), escape});
}

api::SandboxParameter parameter_of(const py::dict& given) {
  const DictReader reader(given);
  api::SandboxParameter parameter;
  reader.read("name", parameter.name);
  reader.read("type", parameter.type);
  reader.read("otherwise", parameter.otherwise);  // JSON
  reader.read("is_required", parameter.is_required);
  return parameter;
}

// `call` takes and gives JSON. What it raises is raised in the guest; what is not its business ends
// the block.
void register_tool(Session& self, const std::string& name, const std::string& doc,
                   const py::list& parameters, const std::string& returns,
                   const py::object& callable) {
  api::SandboxTool tool;
  tool.name = name;
  tool.doc = doc;
  tool.returns = returns;
  for (const py::handle one : parameters) {
    tool.parameters.push_back(parameter_of(one.cast<py::dict>()));
  }
  tool.call = [host = Callback(callable),
               escape = self.escape](const api::SandboxCall& call) -> api::Result<std::string> {
    return host.with_gil([&](const py::object& function) -> api::Result<std::string> {
      try {
        return function(text_of(call.arguments)).cast<std::string>();
      } catch (py::error_already_set& failure) {
        const std::string line = line_of(failure);
        if (escape->keep(failure)) return api::Error{api::ErrorCode::Cancelled, line, {}};
        return api::Error{api::ErrorCode::InvalidInput, line, {}};
      } catch (const std::exception& failure) {
        return api::Error{api::ErrorCode::InvalidInput, failure.what(), {}};
      }
    });
  };
  done_or_raise(self.sandbox.get()->register_tool(tool));
}

void set_model(Session& self, const py::object& callable) {
  using Texts = std::vector<std::string>;
  if (!is_given(callable)) {
    self.sandbox.get()->set_model([](const Texts& /*prompts*/) -> api::Result<Texts> {
      return api::Error{api::ErrorCode::NotFound, "there is no model to be asked", {}};
    });
    return;
  }
  self.sandbox.get()->set_model([model = Callback(callable),
                                 escape = self.escape](const Texts& prompts) -> api::Result<Texts> {
    return model.with_gil([&](const py::object& call) -> api::Result<Texts> {
      try {
        return call(py::cast(prompts)).cast<Texts>();
      } catch (py::error_already_set& failure) {
        const std::string line = line_of(failure);
        if (escape->keep(failure)) return api::Error{api::ErrorCode::Cancelled, line, {}};
        return api::Error{api::ErrorCode::Unavailable, "the model raised " + line, {}};
      } catch (const std::exception&) {
        return api::Error{
            api::ErrorCode::InvalidInput, "the model must answer a list of texts", {}};
      }
    });
  });
}

py::dict error_of(const api::BlockError& error) {
  py::dict out;
  out["type"] = text_of(error.type);
  out["message"] = text_of(error.message);
  out["traceback"] = text_of(error.traceback);
  out["line"] = error.line;
  return out;
}

py::object lost_of(const std::optional<api::Error>& lost) {
  if (!lost) return py::none();
  return py::module_::import("helve.errors")
      .attr("error_of")(std::string(api::error_code_name(lost->code)), lost->message, lost->hint);
}

py::dict block_of(const api::BlockResult& block) {
  constexpr const char* kEnds[] = {"finished", "submitted", "raised", "interrupted", "lost"};
  py::dict out;
  out["end"] = kEnds[static_cast<int>(block.end)];
  out["output"] = text_of(block.output);
  out["output_omitted_bytes"] = block.output_omitted_bytes;
  out["value"] = text_of(block.value);
  out["value_type"] = text_of(block.value_type);
  out["error"] = block.error ? py::object(error_of(*block.error)) : py::none();
  out["submitted"] = block.submitted ? py::object(text_of(*block.submitted)) : py::none();  // JSON
  out["lost"] = lost_of(block.lost);
  out["tool_calls"] = block.tool_calls;
  out["model_calls"] = block.model_calls;
  out["ms"] = block.ms;
  return out;
}

py::dict execute(Session& self, const std::string& code,
                 const std::vector<std::pair<std::string, std::string>>& given,
                 std::optional<double> timeout, const api::CancelToken& cancel) {
  const auto sandbox = self.sandbox.get();
  std::vector<api::SandboxVariable> variables;
  variables.reserve(given.size());
  for (const auto& [name, json] : given) variables.push_back({name, json});
  const auto escape = std::make_shared<Escape>(cancel);
  const std::shared_ptr<EscapeSlot> slot = self.escape;
  slot->current = escape;
  const api::CallOptions call{time_of(timeout), cancel};
  std::optional<api::Result<api::BlockResult>> block;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    block.emplace(sandbox->execute(code, variables, call));
  }
  slot->current = nullptr;
  escape->rethrow();
  check_interrupt();
  return block_of(value_or_raise(*std::move(block)));
}

py::list variables_of(Session& self) {
  const auto sandbox = self.sandbox.get();
  std::optional<api::Result<std::vector<api::SandboxView>>> views;
  {
    const api::CallOptions call;
    const InterruptGuard guard(call.cancel);
    const ReleasedGil released;
    views.emplace(sandbox->variables(call));
  }
  check_interrupt();
  py::list out;
  for (const api::SandboxView& view : value_or_raise(*std::move(views))) {
    py::dict one;
    one["name"] = text_of(view.name);
    one["type"] = text_of(view.type);
    one["length"] = view.length;
    one["preview"] = text_of(view.preview);
    out.append(one);
  }
  return out;
}

py::list layers_of(const Session& self) {
  py::list out;
  for (const api::SandboxLayer& layer : self.sandbox.get()->layers()) {
    py::dict one;
    one["name"] = layer.name;
    one["purpose"] = layer.purpose;
    one["detail"] = layer.detail;
    one["holds"] = layer.holds;
    out.append(one);
  }
  return out;
}

py::str variable_of(Session& self, const std::string& name) {
  const auto sandbox = self.sandbox.get();
  std::optional<api::Result<std::string>> value;
  {
    const api::CallOptions call;
    const InterruptGuard guard(call.cancel);
    const ReleasedGil released;
    value.emplace(sandbox->variable(name, call));
  }
  check_interrupt();
  return text_of(value_or_raise(*std::move(value)));
}

}  // namespace

void bind_sandbox(py::module_& module) {
  py::class_<Session, std::unique_ptr<Session>>(module, "Sandbox")
      .def(py::init(&start), py::arg("options"), py::arg("timeout"), py::arg("cancel"))
      .def("register_tool", &register_tool)
      .def("register_tools",
           [](Session& self, const HeldTools& tools) {
             done_or_raise(self.sandbox.get()->register_tools(*tools.get()));
           })
      .def("set_model", &set_model)
      .def("execute", &execute, py::arg("code"), py::arg("variables"), py::arg("timeout"),
           py::arg("cancel"))
      .def("variable", &variable_of)
      .def("variables", &variables_of)
      .def("layers", &layers_of)
      .def_property_readonly("interpreter",
                             [](const Session& self) { return self.sandbox.get()->interpreter(); })
      .def_property_readonly("is_alive",
                             [](const Session& self) {
                               return self.sandbox.is_open() && self.sandbox.get()->is_alive();
                             })
      .def("shutdown", [](Session& self) { self.sandbox.close(); });
}

}  // namespace helve::python
