// Callback: a Python callable that the library may call, keep and drop on any thread.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <utility>

#include "helve/cancel.h"
#include "surfaces/python/gil.h"
#include "surfaces/python/raise.h"

namespace helve::python {

// An exception that is none of the callback's business (KeyboardInterrupt, SystemExit): it is kept,
// the run is cancelled, and rethrow() throws it when the run is back.
class Escape {
 public:
  explicit Escape(api::CancelToken cancel) : cancel_(std::move(cancel)) {}

  // Needs the GIL. True: it was kept.
  bool keep(pybind11::error_already_set& failure) {
    if (failure.matches(PyExc_Exception)) return false;
    if (!kept_) kept_.emplace(std::move(failure));
    cancel_.cancel();
    return true;
  }
  void rethrow() {
    if (kept_) throw pybind11::error_already_set(std::move(*kept_));
  }

 private:
  api::CancelToken cancel_;
  std::optional<pybind11::error_already_set> kept_;
};

// Copies share the callable.
class Callback {
 public:
  explicit Callback(pybind11::object callable)
      : callable_(new pybind11::object(std::move(callable)), drop) {}

  // `body` gets the callable and runs with the GIL. It must catch what Python throws: the GIL is
  // held no longer when it has left.
  template <typename Body>
  auto with_gil(Body body) const {
    const TakenGil taken;
    try {
      return body(*callable_);
    } catch (const abi::__forced_unwind&) {
      stand_still();  // the interpreter ended meanwhile
    }
  }

 private:
  static void drop(pybind11::object* callable) {
    if (Py_IsInitialized() == 0) return;  // the interpreter is gone, and the object with it
    const TakenGil taken;
    delete callable;
  }

  std::shared_ptr<pybind11::object> callable_;
};

}  // namespace helve::python
