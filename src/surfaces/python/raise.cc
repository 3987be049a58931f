#include "surfaces/python/raise.h"

#include <string>

namespace helve::python {

namespace py = pybind11;

void raise(const api::Error& error) {
  const py::object made = py::module_::import("helve.errors")
                              .attr("error_of")(std::string(api::error_code_name(error.code)),
                                                error.message, error.hint);
  PyErr_SetObject(py::type::of(made).ptr(), made.ptr());
  throw py::error_already_set();
}

std::string utf8_of(const py::str& text) {
  const auto bytes = text.attr("encode")("utf-8", "backslashreplace").cast<py::bytes>();
  return std::string(bytes);
}

std::string line_of(const py::error_already_set& failure) {
  std::string line = utf8_of(py::str(failure.type().attr("__name__")));
  const std::string says = utf8_of(py::str(failure.value()));
  if (!says.empty()) line += ": " + says;
  return line;
}

}  // namespace helve::python
