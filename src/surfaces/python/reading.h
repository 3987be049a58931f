// Reads members of a dict of Python into members of a struct of the library.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <type_traits>

#include "surfaces/python/bindings.h"

namespace helve::python {

// What is not there, or None, is left as it is. The files of helve/ write the dict: a wrong type in
// it raises, a further key is a bug of ours and not looked for.
class DictReader {
 public:
  explicit DictReader(const pybind11::dict& given) : given_(given) {}

  bool has(const char* name) const {
    return given_.contains(name) && is_given(pybind11::object(given_[name]));
  }

  template <typename T>
  void read(const char* name, T& into) const {
    if (!has(name)) return;
    try {
      into = given_[name].cast<T>();
    } catch (const pybind11::cast_error&) {
      throw pybind11::type_error(std::string(name) + " cannot be " +
                                 utf8_of(pybind11::repr(given_[name])) +
                                 ": it is of another type, or out of range");
    }
  }

  template <typename T>
  void read_time(const char* name, T& into) const {
    double seconds = 0;
    if (!has(name)) return;
    read(name, seconds);
    into = *time_of(seconds);
  }

  pybind11::object object(const char* name) const {
    return has(name) ? pybind11::object(given_[name]) : pybind11::none();
  }

 private:
  const pybind11::dict& given_;
};

}  // namespace helve::python
