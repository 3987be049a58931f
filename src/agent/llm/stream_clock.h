// StreamClock: time that begins anew with every sign of life. A Deadline on it is a limit on
// silence, which an HTTP transfer then honours as it honours any deadline.
#pragma once

#include <atomic>

#include "base/clock.h"
#include "base/op_context.h"

namespace helve::llm {

// Thread-safe. The clock, and those of the deadlines, outlive it.
class StreamClock final : public Clock {
 public:
  // Once either of `whole` and `caller` has passed, everything is over.
  StreamClock(Clock& clock, Deadline whole, Deadline caller)
      : clock_(clock), whole_(whole), caller_(caller) {}

  // That passes with the whole, or after so much silence. Call once, before anything is read.
  Deadline deadline(Duration silence) {
    const Deadline made(*this, silence);  // while this clock stands at zero
    is_running_ = true;
    return made;
  }

  // The end of time once all is over; else the time since the last sign, zero before the first.
  MonotonicTime now() const override {
    if (is_running_ && (whole_.has_passed() || caller_.has_passed())) return MonotonicTime::max();
    const Duration last = last_sign_.load();
    if (last == kNone) return MonotonicTime{};
    return MonotonicTime(clock_.now().time_since_epoch() - last);
  }
  WallTime wall() const override { return clock_.wall(); }
  void sleep_for(Duration duration) override { clock_.sleep_for(duration); }

  // From now on silence counts.
  void sign() { last_sign_ = clock_.now().time_since_epoch(); }
  // A sign, where silence counts already.
  void sign_again() {
    if (last_sign_.load() != kNone) sign();
  }
  // As if the last sign were so long ago.
  void sign_ago(Duration ago) { last_sign_ = clock_.now().time_since_epoch() - ago; }

 private:
  static constexpr Duration kNone = Duration::min();

  Clock& clock_;
  Deadline whole_;
  Deadline caller_;
  std::atomic<bool> is_running_{false};
  std::atomic<Duration> last_sign_{kNone};
};

}  // namespace helve::llm
