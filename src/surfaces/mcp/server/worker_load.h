// WorkerLoad: whether the workers of a transport are held up, so that who comes is told "busy" at
// once instead of waiting behind calls that do not end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace helve::mcp {

// Enough for many slow calls at once: they share the cores, and a quick one among them still is
// answered.
inline constexpr std::size_t kWorkersDefault = 64;

// Thread-safe.
class WorkerLoad {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit WorkerLoad(std::size_t workers, Duration patience = std::chrono::seconds(1))
      : workers_(workers), patience_(patience) {}

  // A worker takes a call, and is done with it.
  void begin() {
    running_.fetch_add(1);
    last_begin_.store(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  void end() { running_.fetch_sub(1); }

  // All are at work, and none has begun anything for a while.
  bool is_stuck() const {
    if (running_.load() < workers_) return false;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return std::chrono::steady_clock::duration(now - last_begin_.load()) >= patience_;
  }

  // Whether a call that has waited since then waits for nothing: behind workers that are stuck, or
  // for too long behind ones that still come and go.
  bool is_late(TimePoint since) const {
    return is_stuck() || std::chrono::steady_clock::now() - since >= kPatienceTimes * patience_;
  }

 private:
  static constexpr int kPatienceTimes = 5;

  std::size_t workers_;
  Duration patience_;
  std::atomic<std::size_t> running_{0};
  std::atomic<std::chrono::steady_clock::rep> last_begin_{0};
};

}  // namespace helve::mcp
