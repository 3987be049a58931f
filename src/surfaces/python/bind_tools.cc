// Tools: calls by name, and what surfaces need to know of the tools.
#include "helve/tools.h"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "surfaces/python/bindings.h"
#include "surfaces/python/callback.h"
#include "surfaces/python/gil.h"
#include "surfaces/python/interrupt.h"
#include "surfaces/python/reading.h"

namespace helve::python {

namespace py = pybind11;

namespace {

// (text, json, code or None, source, handle, is_complete, ms)
py::tuple call(const HeldTools& self, const std::string& tool, const std::string& arguments,
               std::optional<double> timeout, const api::CancelToken& cancel) {
  const auto tools = self.get();
  const api::CallOptions options{time_of(timeout), cancel};
  api::Reply reply;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    reply = tools->call(tool, arguments, options);
  }
  check_interrupt();
  const py::object code =
      reply.is_error ? py::object(text_of(api::error_code_name(reply.code))) : py::none();
  return py::make_tuple(text_of(reply.text), text_of(reply.json), code, text_of(reply.source),
                        text_of(reply.handle), reply.is_complete, reply.ms);
}

py::dict shape_of(const api::ToolParameter& parameter) {
  py::dict out;
  out["name"] = parameter.name;
  out["type"] = parameter.type;
  out["items"] = parameter.items;
  out["doc"] = parameter.doc;
  out["otherwise"] = parameter.otherwise;  // JSON
  out["is_required"] = parameter.is_required;
  out["choices"] = parameter.choices;
  out["aliases"] = parameter.aliases;
  return out;
}

py::dict shape_of(const api::ToolReturn& key) {
  py::dict out;
  out["name"] = key.name;
  out["type"] = key.type;
  out["doc"] = key.doc;
  out["is_optional"] = key.is_optional;
  return out;
}

py::dict shape(const HeldTools& self, const std::string& tool) {
  const api::ToolShape shape = value_or_raise(self.get()->shape(tool));
  py::dict out;
  out["name"] = shape.info.name;
  out["category"] = shape.info.category;
  out["purpose"] = shape.info.purpose;
  out["title"] = shape.title;
  out["is_usual"] = shape.is_usual;
  py::list parameters;
  for (const api::ToolParameter& parameter : shape.parameters) {
    parameters.append(shape_of(parameter));
  }
  out["parameters"] = parameters;
  py::list returns;
  for (const api::ToolReturn& key : shape.returns) returns.append(shape_of(key));
  out["returns"] = returns;
  return out;
}

py::dict line_of(const api::LeakageLine& line) {
  py::dict out;
  out["calls"] = line.calls;
  out["errors"] = line.errors;
  out["reply_chars"] = line.reply_chars;
  out["reply_chars_max"] = line.reply_chars_max;
  out["stored_chars"] = line.stored_chars;
  return out;
}

py::dict leakage(const HeldTools& self) {
  const api::Leakage leakage = self.get()->leakage();
  py::dict tools;
  for (const api::LeakageLine& line : leakage.tools) tools[line.tool.c_str()] = line_of(line);
  py::dict out;
  out["tools"] = tools;
  out["total"] = line_of(leakage.total);
  return out;
}

// Only True confirms. An exception does not, and is reported as Python reports those of
// destructors.
std::function<bool(std::string_view)> confirmation_of(const py::object& callable) {
  return [ask = Callback(callable)](std::string_view question) {
    return ask.with_gil([&](const py::object& call) {
      try {
        return call(text_of(question)).is(py::bool_(true));
      } catch (py::error_already_set& failure) {
        if (failure.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
        failure.discard_as_unraisable(call);
        return false;
      }
    });
  };
}

api::ToolsOptions tools_options(const py::dict& given) {
  api::ToolsOptions options;
  const DictReader reader(given);
  reader.read("session_folder", options.session_folder);
  reader.read("session_memory_bytes_max", options.session_memory_bytes_max);
  reader.read("identity", options.identity);
  reader.read("session", options.session);
  reader.read("has_many_sessions", options.has_many_sessions);
  reader.read("has_secret_handles", options.has_secret_handles);
  reader.read("policy_file", options.policy_file);
  reader.read("bank", options.bank);
  reader.read("trusts_judgments", options.trusts_judgments);
  reader.read("marks_data", options.marks_data);
  reader.read("audit_file", options.audit_file);
  reader.read("audit_key", options.audit_key);
  reader.read("audit_fingerprints", options.audit_fingerprints);
  reader.read("worker_program", options.worker_program);
  reader.read_time("lock_timeout", options.lock_timeout);
  if (reader.has("confirm")) options.confirm = confirmation_of(reader.object("confirm"));
  return options;
}

HeldTools get_tools(const py::list& given, const std::string& policy_json,
                    const py::dict& given_options) {
  std::vector<api::Source> sources;
  for (const py::handle one : given) sources.push_back(*one.cast<const HeldSource&>().get());
  const api::Policy policy = value_or_raise(api::Policy::from_json(policy_json));
  const api::ToolsOptions options = tools_options(given_options);
  std::optional<api::Result<api::Tools>> made;
  {
    const ReleasedGil released;
    made.emplace(api::get_tools(sources, policy, options));
    sources.clear();
  }
  check_interrupt();
  return HeldTools(value_or_raise(*std::move(made)));
}

HeldTools as_caller(const HeldTools& self, const std::string& identity, const std::string& session,
                    const std::optional<std::string>& policy_json) {
  if (!policy_json) return HeldTools(value_or_raise(self.get()->as(identity, session)));
  const api::Policy policy = value_or_raise(api::Policy::from_json(*policy_json));
  return HeldTools(value_or_raise(self.get()->as(identity, session, policy)));
}

}  // namespace

void bind_tools(py::module_& module) {
  py::class_<HeldTools> tools(module, "Tools");
  tools
      .def("call", &call, py::arg("tool"), py::arg("arguments"), py::arg("timeout"),
           py::arg("cancel"))
      .def("names", [](const HeldTools& self) { return self.get()->names(); })
      .def("shape", &shape)
      .def("input_schema",
           [](const HeldTools& self, const std::string& tool) {
             return text_of(value_or_raise(self.get()->input_schema(tool)));
           })
      .def("output_schema",
           [](const HeldTools& self, const std::string& tool) {
             return text_of(value_or_raise(self.get()->output_schema(tool)));
           })
      .def("source_names", [](const HeldTools& self) { return self.get()->source_names(); })
      .def("leakage", &leakage)
      .def("as_caller", &as_caller)
      .def_property_readonly("is_open", &HeldTools::is_open)
      .def("close", &HeldTools::close);
  bind_rows(tools);
  module.def("get_tools", &get_tools, py::arg("sources"), py::arg("policy"), py::arg("options"));
}

}  // namespace helve::python
