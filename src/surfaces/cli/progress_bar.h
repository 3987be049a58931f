// ProgressBar: triples, rate and time left, drawn on a terminal while another thread works.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "surfaces/cli/terminal.h"

namespace helve::cli {

struct ProgressState {
  std::uint64_t bytes_total = 0;  // or of other units of work; 0: unknown
  std::uint64_t bytes_read = 0;
  std::uint64_t statements = 0;
  std::string stage;
  // Since the work that `bytes_read` counts began; none: since the bar began.
  std::optional<Duration> stage_elapsed;
};

// One line for this state after this time, not longer than `width`.
std::string progress_line(const ProgressState& state, Duration elapsed, std::size_t width);

// Draws on standard error several times a second, from a thread of its own, until destroyed, and
// then wipes its line. Does nothing where that is not a terminal.
class ProgressBar {
 public:
  // `state` is called from the drawing thread.
  ProgressBar(const Terminal& terminal, std::function<ProgressState()> state);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw_until_stopped();

  const std::size_t width_;
  const std::function<ProgressState()> state_;
  const MonotonicTime started_;
  std::mutex mutex_;
  std::condition_variable stopped_changed_;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace helve::cli
