#include "surfaces/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"

namespace helve::cli {

namespace {

constexpr auto kFirstDrawing = std::chrono::milliseconds(300);  // quick work shows nothing
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBarWidth = 24;
constexpr std::string_view kWipe = "\r\x1b[K";

void write_to_stderr(std::string_view text) {
  // Nothing sensible can be done when a progress bar cannot be drawn.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progress_line(const ProgressState& state, Duration elapsed, std::size_t width) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const auto rate =
      static_cast<std::uint64_t>(seconds > 0 ? static_cast<double>(state.statements) / seconds : 0);
  std::string line = state.stage;
  if (state.bytes_total > 0) {
    const double part = std::min(
        1.0, static_cast<double>(state.bytes_read) / static_cast<double>(state.bytes_total));
    const auto filled = static_cast<std::size_t>(part * kBarWidth);
    std::string bar;
    for (std::size_t i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
    line += fmt::format(" {} {:3.0f} %", bar, part * 100);
  }
  line += fmt::format("  {} triples  {}/s", format_count(state.statements), format_count(rate));
  if (state.bytes_total > 0 && state.bytes_read > 0 && state.bytes_read < state.bytes_total) {
    const double stage_seconds =
        std::chrono::duration<double>(state.stage_elapsed.value_or(elapsed)).count();
    const double left = stage_seconds * static_cast<double>(state.bytes_total - state.bytes_read) /
                        static_cast<double>(state.bytes_read);
    line += "  " + format_duration(Duration(static_cast<std::int64_t>(left * 1e9))) + " left";
  }
  return elide_end(line, width);
}

ProgressBar::ProgressBar(const Terminal& terminal, std::function<ProgressState()> state)
    : width_(terminal.width() - 1), state_(std::move(state)), started_(real_clock().now()) {
  if (terminal.is_interactive()) thread_ = std::thread([this] { draw_until_stopped(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_changed_.notify_all();
  thread_.join();
}

void ProgressBar::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  if (stopped_changed_.wait_for(lock, kFirstDrawing, [this] { return is_stopped_; })) return;
  do {
    const std::string line = progress_line(state_(), real_clock().now() - started_, width_);
    write_to_stderr(std::string(kWipe) + line);
  } while (!stopped_changed_.wait_for(lock, kInterval, [this] { return is_stopped_; }));
  write_to_stderr(kWipe);
}

}  // namespace helve::cli
