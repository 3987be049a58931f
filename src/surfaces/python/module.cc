// helve._core: what the Python package has of libhelve.so. The files of helve/ make the package of
// it; nobody else should import it.
#include <pybind11/pybind11.h>

#include <cmath>

#include "helve/version.h"
#include "surfaces/python/bindings.h"

namespace helve::python {

namespace py = pybind11;

std::optional<std::chrono::nanoseconds> time_of(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  constexpr double kSecondsMax = 1e9;  // about thirty years
  if (!(*seconds > 0) || *seconds > kSecondsMax) {
    throw py::value_error("a time is a number of seconds above 0, or None");
  }
  return std::chrono::nanoseconds(std::llround(*seconds * 1e9));
}

py::str text_of(std::string_view text) {
  PyObject* const made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

}  // namespace helve::python

PYBIND11_MODULE(_core, module) {
  helve::python::watch_forks();
  module.attr("version") = helve::python::text_of(helve::api::version());
  helve::python::bind_sources(module);
  helve::python::bind_tools(module);
  helve::python::bind_ask(module);
  helve::python::bind_sandbox(module);
}
