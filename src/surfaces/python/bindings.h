// The parts of helve._core; module.cc puts them together. Each has its own file.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "helve/tools.h"
#include "surfaces/python/held.h"

namespace helve::python {

using HeldSource = Held<api::Source>;
using HeldTools = Held<api::Tools>;

void bind_sources(pybind11::module_& module);
void bind_tools(pybind11::module_& module);
void bind_rows(pybind11::class_<HeldTools>& tools);
void bind_ask(pybind11::module_& module);
void bind_sandbox(pybind11::module_& module);

// Seconds of Python; raises ValueError for what is no time.
std::optional<std::chrono::nanoseconds> time_of(std::optional<double> seconds);

// A text of the library; what is no UTF-8 in it is replaced.
pybind11::str text_of(std::string_view text);

// The callable, or nothing for None.
inline bool is_given(const pybind11::object& object) { return !object.is_none(); }

}  // namespace helve::python
