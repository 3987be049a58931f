// A machine whose calendar does not move by itself: items of a bank are as old in one run as in
// another, however long either took. All else is the real one.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/tasks/task_set.h"
#include "base/env.h"

namespace helve::agent {

class CellClock final : public Clock {
 public:
  explicit CellClock(Clock& real) : real_(real) {}
  MonotonicTime now() const override { return real_.now(); }
  // 2026-01-01T00:00:00Z, and so many hours.
  WallTime wall() const override {
    constexpr std::chrono::seconds kStart(1'767'225'600);
    return WallTime(std::chrono::duration_cast<WallTime::duration>(
        kStart + std::chrono::hours(hours_.load(std::memory_order_relaxed))));
  }
  void sleep_for(Duration duration) override { real_.sleep_for(duration); }
  void pass_hours(std::int64_t hours) { hours_.fetch_add(hours, std::memory_order_relaxed); }

 private:
  Clock& real_;
  std::atomic<std::int64_t> hours_{0};
};

// What the calendar shows when a pass begins: each task before it took an hour.
inline std::int64_t hours_before(std::size_t pass, const TaskSet& tasks) {
  return static_cast<std::int64_t>(pass * tasks.cases.size());
}

class CellEnv final : public Env {
 public:
  explicit CellEnv(Env& real) : real_(real), clock_(real.clock()) {}
  CellClock& clock() override { return clock_; }
  Files& files() override { return real_.files(); }
  Http& http() override { return real_.http(); }
  Processes& processes() override { return real_.processes(); }
  Random& random() override { return real_.random(); }

 private:
  Env& real_;
  CellClock clock_;
};

}  // namespace helve::agent
