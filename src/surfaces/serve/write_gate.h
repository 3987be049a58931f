// WriteGate: lets one request write at a time, and few wait for it: those who wait hold workers
// that queries need.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::serve {

// Thread-safe.
class WriteGate {
 public:
  static constexpr std::size_t kWaitingMax = 8;
  using Pass = std::unique_lock<std::timed_mutex>;

  // Waits for its turn. Unavailable: too many do. Otherwise the errors of op.check().
  Result<Pass> enter(const OpContext& op) {
    constexpr auto kLook = std::chrono::milliseconds(20);  // at the deadline
    const Waiting waiting(waiting_);
    if (waiting.place > kWaitingMax) {
      return Error{ErrorCode::Unavailable,
                   "the server is busy: too many writes wait for each other",
                   "try again in a moment"};
    }
    Pass pass(mutex_, std::defer_lock);
    do {
      HELVE_TRY(op.check());
    } while (!pass.try_lock_for(kLook));
    return pass;
  }

  std::size_t waiting() const { return waiting_.load(); }

 private:
  struct Waiting {
    explicit Waiting(std::atomic<std::size_t>& all) : count(all), place(++all) {}
    ~Waiting() { --count; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    std::atomic<std::size_t>& count;
    const std::size_t place;
  };

  std::timed_mutex mutex_;
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace helve::serve
