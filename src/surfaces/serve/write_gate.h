// WriteGate: keeps those who write only if the data is as they saw it apart from all others who
// write, and bounds how many do at once: they hold workers that queries need.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::serve {

// Thread-safe.
class WriteGate {
 public:
  static constexpr std::size_t kWritersMax = 16;  // at once, those who wait included

  enum class Kind : std::uint8_t {
    Shared,  // beside others: who is first is the store's to say
    Alone,   // what was looked at inside does not change before it is left
  };

  // Leaves when it goes.
  class Pass {
   public:
    Pass() = default;

   private:
    friend class WriteGate;
    struct Leave {
      void operator()(std::atomic<std::size_t>* writers) const { --*writers; }
    };
    std::unique_ptr<std::atomic<std::size_t>, Leave> place_;
    std::shared_lock<std::shared_timed_mutex> shared_;
    std::unique_lock<std::shared_timed_mutex> alone_;
  };

  // Waits where it must. Unavailable: too many write. Otherwise the errors of op.check().
  Result<Pass> enter(Kind kind, const OpContext& op) {
    constexpr auto kLook = std::chrono::milliseconds(20);  // at the deadline
    Pass pass;
    const std::size_t number = ++writers_;
    pass.place_.reset(&writers_);
    if (number > kWritersMax) {
      return Error{ErrorCode::Unavailable, "the server is busy: too many write at once",
                   "try again in a moment"};
    }
    pass.shared_ = std::shared_lock(mutex_, std::defer_lock);
    pass.alone_ = std::unique_lock(mutex_, std::defer_lock);
    do {
      HELVE_TRY(op.check());
    } while (kind == Kind::Alone ? !pass.alone_.try_lock_for(kLook)
                                 : !pass.shared_.try_lock_for(kLook));
    return pass;
  }

  std::size_t writers() const { return writers_.load(); }

 private:
  std::shared_timed_mutex mutex_;
  std::atomic<std::size_t> writers_{0};
};

}  // namespace helve::serve
