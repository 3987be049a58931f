// OpContext: what every long operation takes and honours: deadline, cancellation, memory,
// limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/clock.h"
#include "base/limits.h"
#include "base/memory_budget.h"
#include "base/result.h"

namespace helve {

class Executor;
class SpillSpace;  // base/spill_space.h

// A moment after which an operation must stop. Copyable; the clock must outlive it.
class Deadline {
 public:
  Deadline() = default;  // never
  Deadline(const Clock& clock, Duration from_now) : clock_(&clock), at_(clock.now() + from_now) {}

  bool is_never() const { return clock_ == nullptr; }
  bool has_passed() const { return clock_ != nullptr && clock_->now() >= at_; }
  // Zero once passed; the largest duration when there is no deadline.
  Duration remaining() const;

 private:
  const Clock* clock_ = nullptr;
  MonotonicTime at_{};
};

// A flag shared between who cancels and who works. Copies share the flag. cancel() is safe in a
// signal handler.
class CancelToken {
 public:
  CancelToken() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { cancelled_->store(true, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept { return cancelled_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

// Work done so far, as it is done: one for every check, which is some megabyte touched. For those
// who watch from another thread.
class WorkMeter {
 public:
  void note() noexcept { done_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> done_{0};
};

// Passed by const reference down every long operation. check() costs some 30 ns: call it per batch.
struct OpContext {
  Deadline deadline;
  CancelToken cancel;
  MemoryBudget* memory = &process_memory();  // never null
  Limits limits;
  Executor* executor = nullptr;  // null: work on the calling thread alone
  WorkMeter* meter = nullptr;    // null: nobody watches
  SpillSpace* spill = nullptr;   // null: what exceeds the memory fails
  // A number for whoever the work is done for, so that scarce things can be shared fairly. 0:
  // unknown.
  std::uint64_t caller = 0;

  // Cancelled, or LimitExceeded once the deadline has passed.
  Result<void> check() const;
};

}  // namespace helve
