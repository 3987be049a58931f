// StepClock: time that moves by a step each time someone looks. A deadline then comes after a
// certain number of checks, whatever the speed of the machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/op_context.h"

namespace helve {

// Thread-safe, but for cancel_at.
class StepClock final : public Clock {
 public:
  explicit StepClock(Duration step) : step_(step) {}

  MonotonicTime now() const override {
    const std::int64_t look = looks_.fetch_add(1) + 1;
    if (cancelled_ && look >= cancelled_->first) cancelled_->second.cancel();
    return MonotonicTime(step_ * look);
  }
  WallTime wall() const override { return {}; }
  void sleep_for(Duration duration) override { looks_ += duration / step_; }

  // The token is cancelled by the look of that number.
  void cancel_at(std::int64_t look, CancelToken token) { cancelled_ = {look, std::move(token)}; }
  std::int64_t looks() const { return looks_.load(); }

 private:
  Duration step_;
  mutable std::atomic<std::int64_t> looks_{0};
  std::optional<std::pair<std::int64_t, CancelToken>> cancelled_;
};

}  // namespace helve
