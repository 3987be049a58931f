// Time and randomness of the FakeEnv.
#include "tests/support/fake_env.h"

namespace helve {

MonotonicTime FakeClock::now() const {
  return MonotonicTime(std::chrono::duration_cast<MonotonicTime::duration>(elapsed()));
}

WallTime FakeClock::wall() const {
  constexpr std::chrono::seconds kStart{1'735'689'600};  // 2025-01-01T00:00:00Z
  return WallTime(std::chrono::duration_cast<WallTime::duration>(kStart + elapsed()));
}

void FakeClock::advance(Duration duration) {
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
}

Duration FakeClock::elapsed() const {
  const std::lock_guard lock(mutex_);
  return elapsed_;
}

void FakeRandom::fill(std::span<std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  for (std::uint8_t& byte : bytes) {
    // splitmix64 (public domain, Sebastiano Vigna)
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    byte = static_cast<std::uint8_t>(z >> 56U);
  }
}

}  // namespace helve
