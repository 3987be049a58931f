// WaitingLine: says on a terminal for whom the program waits, and how long already.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"
#include "surfaces/cli/terminal.h"

namespace helve::cli {

// "step 1: waiting for qwen3 at localhost ... 12 s", at most `width` columns.
std::string waiting_words(const std::string& what, Duration elapsed, std::size_t width);

// Drawn on standard error once a second from the first second on, from a thread of its own, and
// wiped when it ends. Nothing where that is no terminal.
class WaitingLine {
 public:
  WaitingLine(const Terminal& terminal, std::string what);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

 private:
  void draw_until_stopped();

  const std::size_t width_;
  const std::string what_;
  const MonotonicTime started_;
  std::mutex mutex_;
  std::condition_variable stopped_changed_;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace helve::cli
