#include "surfaces/cli/signals.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <string_view>

namespace helve::cli {

namespace {

// Set before the handler is installed: the handler may run at any moment.
std::atomic<const CancelToken*> cancelled_by_signal = nullptr;
static_assert(std::atomic<const CancelToken*>::is_always_lock_free);

// Never destroyed, and some older tokens kept: a handler may be about to use one.
void cancel_by_signal(const CancelToken& token) {
  constexpr std::size_t kKeptMax = 16;
  static auto& tokens = *new std::deque<CancelToken>();
  cancelled_by_signal = &tokens.emplace_back(token);
  if (tokens.size() > kKeptMax) tokens.pop_front();
}

extern "C" void handle_signal(int /*number*/) { cancelled_by_signal.load()->cancel(); }

// Memory behind a mapped file is gone: nothing can go on, and only async-signal-safe calls may be
// made.
extern "C" void handle_bus_error(int /*number*/) {
  constexpr std::string_view kMessage =
      "helve: error: a file became shorter while it was read\n"
      "  hint: try again when nothing writes to it\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(static_cast<int>(ErrorCode::Unavailable));
}

}  // namespace

void cancel_on_signals(const CancelToken& token) {
  cancel_by_signal(token);
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = handle_bus_error;
  ::sigaction(SIGBUS, &action, nullptr);
}

void cancel_on_interrupt(const CancelToken& token) {
  cancel_by_signal(token);
  struct sigaction action {};
  action.sa_handler = handle_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace helve::cli
