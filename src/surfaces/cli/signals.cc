#include "surfaces/cli/signals.h"

#include <csignal>

namespace helve::cli {

namespace {

// Set before the handler is installed and never destroyed: the handler may run at any moment.
const CancelToken* cancelled_by_signal = nullptr;

extern "C" void handle_signal(int /*number*/) { cancelled_by_signal->cancel(); }

}  // namespace

void cancel_on_signals(const CancelToken& token) {
  cancelled_by_signal = new CancelToken(token);
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace helve::cli
