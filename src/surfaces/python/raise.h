// Errors of the library as exceptions of Python: helve.errors.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "helve/error.h"

namespace helve::python {

// The exception of helve.errors for the code. Needs the GIL.
[[noreturn]] void raise(const api::Error& error);

template <typename T>
T value_or_raise(api::Result<T> result) {
  if (!result) raise(result.error());
  return std::move(result).value();
}

inline void done_or_raise(const api::Result<void>& result) {
  if (!result) raise(result.error());
}

// Of any text of Python: what has no UTF-8 in it (lone surrogates) is spelled out. Needs the GIL.
std::string utf8_of(const pybind11::str& text);

// What a Python exception says in one line, "ValueError: no such thing". Needs the GIL.
std::string line_of(const pybind11::error_already_set& failure);

}  // namespace helve::python
