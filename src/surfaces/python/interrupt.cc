#include "surfaces/python/interrupt.h"

#include <pybind11/pybind11.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace helve::python {

namespace {

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

// Both are only touched by the main thread and by its own signal handler.
std::atomic<InterruptGuard*> innermost{nullptr};
struct sigaction before = {};

void call_handler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  }
}

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

void InterruptGuard::on_signal(int signal, siginfo_t* info, void* context) {
  // The guards are those of the main thread: it is given what another thread was given.
  if (!is_main_thread()) {
    static_cast<void>(::syscall(SYS_tgkill, ::getpid(), ::getpid(), signal));
    return;
  }
  for (InterruptGuard* guard = innermost; guard != nullptr; guard = guard->outer_) {
    guard->token_.cancel();
  }
  call_handler(before, signal, info, context);
}

InterruptGuard::InterruptGuard(api::CancelToken token) : token_(std::move(token)) {
  if (!is_main_thread()) return;
  outer_ = innermost;
  if (outer_ == nullptr) {
    if (::sigaction(SIGINT, nullptr, &before) != 0 || !has_handler(before)) return;
    innermost = this;
    struct sigaction action = before;
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = on_signal;
    is_set_ = ::sigaction(SIGINT, &action, nullptr) == 0;
    if (!is_set_) innermost = nullptr;
    return;
  }
  is_set_ = true;
  innermost = this;
}

InterruptGuard::~InterruptGuard() {
  if (!is_set_) return;
  if (outer_ == nullptr) ::sigaction(SIGINT, &before, nullptr);
  innermost = outer_;
}

void check_interrupt() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace helve::python
