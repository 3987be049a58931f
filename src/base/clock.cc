// The machine's clock.
#include "base/clock.h"

#include <thread>

namespace helve {

namespace {

class RealClock final : public Clock {
 public:
  MonotonicTime now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override { return std::chrono::system_clock::now(); }
  void sleep_for(Duration duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace

Clock& real_clock() {
  // Never destroyed: threads may look at it while the process ends.
  static auto& clock = *new RealClock;
  return clock;
}

}  // namespace helve
