// InterruptGuard: Ctrl-C ends a call that runs without the GIL.
#pragma once

#include <csignal>

#include "helve/cancel.h"

namespace helve::python {

// While one is there on the main thread, SIGINT cancels its token, and then does what Python does
// with it: the exception is raised by check_interrupt() when the call is back. Nothing happens on
// other threads, to which Python gives no signals, and where SIGINT is ignored or left to the
// system. Guards nest.
class InterruptGuard {
 public:
  explicit InterruptGuard(api::CancelToken token);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static void on_signal(int signal, siginfo_t* info, void* context);

  api::CancelToken token_;
  InterruptGuard* outer_ = nullptr;
  bool is_set_ = false;
};

// Runs the signal handlers of Python that wait; throws what they raise. Needs the GIL.
void check_interrupt();

}  // namespace helve::python
