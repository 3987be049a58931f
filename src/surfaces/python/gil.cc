#include "surfaces/python/gil.h"

#include <cxxabi.h>
#include <unistd.h>

namespace helve::python {

void stand_still() noexcept {
  for (;;) ::pause();
}

ReleasedGil::~ReleasedGil() {
  try {
    PyEval_RestoreThread(state_);
  } catch (const abi::__forced_unwind&) {
    stand_still();
  }
}

TakenGil::TakenGil() : state_(PyGILState_UNLOCKED) {
  try {
    state_ = PyGILState_Ensure();
  } catch (const abi::__forced_unwind&) {
    stand_still();
  }
}

}  // namespace helve::python
