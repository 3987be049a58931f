#include "surfaces/cli/agent/waiting_line.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/text.h"

namespace helve::cli {

std::string waiting_words(const std::string& what, Duration elapsed, std::size_t width) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  const std::string time = fmt::format(" ... {} s", seconds);
  const std::size_t room = width > time.size() + 1 ? width - time.size() - 1 : 1;
  return elide_end(escape_for_terminal(what), room) + time;
}

WaitingLine::WaitingLine(const Terminal& terminal, std::string what)
    : width_(terminal.width()), what_(std::move(what)), started_(real_clock().now()) {
  if (terminal.is_interactive()) thread_ = std::thread([this] { draw_until_stopped(); });
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_changed_.notify_all();
  thread_.join();
}

void WaitingLine::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  bool is_drawn = false;
  while (
      !stopped_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return is_stopped_; })) {
    const std::string line = waiting_words(what_, real_clock().now() - started_, width_);
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
    is_drawn = true;
  }
  if (!is_drawn) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace helve::cli
