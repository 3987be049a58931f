// CancelToken: stops a call from another thread.
#pragma once

#include <memory>

#include "helve/export.h"

namespace helve::api {

// Copies share one flag. Thread-safe; cancel() may also be called by a signal handler. What was
// cancelled stays so: take a new one for the next call. An operation that sees it ends with
// ErrorCode::Cancelled, usually within milliseconds.
class HELVE_API CancelToken {
 public:
  CancelToken();

  void cancel() const noexcept;
  bool is_cancelled() const noexcept;

  struct State;
  const State& state() const noexcept { return *state_; }  // for the library itself

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace helve::api
