// CancelToken, Source, connect.
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "helve/source.h"
#include "surfaces/python/bindings.h"
#include "surfaces/python/gil.h"
#include "surfaces/python/interrupt.h"
#include "surfaces/python/reading.h"

namespace helve::python {

namespace py = pybind11;

namespace {

void read_endpoint(const py::dict& given, api::EndpointAccess& access) {
  const DictReader reader(given);
  reader.read("user", access.user);
  reader.read("password", access.password);
  reader.read("bearer", access.bearer);
  reader.read("header", access.header);
  reader.read("header_value", access.header_value);
  reader.read("ca_file", access.ca_file);
  reader.read("proxy", access.proxy);
  reader.read("is_get", access.is_get);
  reader.read("void_place", access.void_place);
  reader.read("allows_private", access.allows_private);
  reader.read_time("connect_timeout", access.connect_timeout);
  reader.read_time("first_byte_timeout", access.first_byte_timeout);
  reader.read_time("pause", access.pause);
  reader.read("requests_at_once", access.requests_at_once);
  reader.read("retries", access.retries);
  reader.read("profile_folder", access.profile_folder);
}

HeldSource connect(const std::vector<std::string>& uris, std::string name, bool is_lenient,
                   std::optional<double> timeout, const api::CancelToken& cancel,
                   std::string worker_program, bool is_writable, const py::dict& endpoint) {
  api::SourceOptions options;
  options.name = std::move(name);
  options.is_lenient = is_lenient;
  options.timeout = time_of(timeout);
  options.cancel = cancel;
  options.worker_program = std::move(worker_program);
  options.is_writable = is_writable;
  read_endpoint(endpoint, options.endpoint);
  std::optional<api::Result<api::Source>> made;
  {
    const InterruptGuard guard(cancel);
    const ReleasedGil released;
    made.emplace(uris.size() == 1 ? api::connect(uris.front(), options)
                                  : api::connect_files(uris, options));
  }
  check_interrupt();
  return HeldSource(value_or_raise(*std::move(made)));
}

}  // namespace

void bind_sources(py::module_& module) {
  py::class_<api::CancelToken>(module, "CancelToken",
                               "Stops calls from another thread. What was cancelled stays so.")
      .def(py::init<>())
      .def("cancel", &api::CancelToken::cancel)
      .def_property_readonly("is_cancelled", &api::CancelToken::is_cancelled);

  py::class_<HeldSource>(module, "Source", "A graph or a database that tools can be asked about.")
      .def_property_readonly("name", [](const HeldSource& self) { return self.get()->name(); })
      .def_property_readonly("uri", [](const HeldSource& self) { return self.get()->uri(); })
      .def_property_readonly("is_remote",
                             [](const HeldSource& self) { return self.get()->is_remote(); })
      .def("fingerprint",
           [](const HeldSource& self) {
             const auto source = self.get();
             const ReleasedGil released;
             return source->fingerprint();
           })
      .def("close", &HeldSource::close);

  module.def("connect", &connect, py::arg("uris"), py::kw_only(), py::arg("name") = "",
             py::arg("is_lenient") = false, py::arg("timeout") = py::none(), py::arg("cancel"),
             py::arg("worker_program") = "", py::arg("is_writable") = false,
             py::arg("endpoint") = py::dict());
}

}  // namespace helve::python
