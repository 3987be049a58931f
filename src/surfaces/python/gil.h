// The GIL, let go and taken back. When the interpreter ends, threads that ask for it are ended by
// force, which C++ frames do not survive: such a thread stands still here until the process is
// gone.
#pragma once

#include <pybind11/pybind11.h>

namespace helve::python {

// Never returns.
[[noreturn]] void stand_still() noexcept;

// Lets go of the GIL for a scope.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// Takes it for a scope, on any thread.
class TakenGil {
 public:
  TakenGil();
  ~TakenGil() { PyGILState_Release(state_); }
  TakenGil(const TakenGil&) = delete;
  TakenGil& operator=(const TakenGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace helve::python
