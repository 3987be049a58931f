// FakeEnv: an Env without a machine. Time moves by hand, files live in memory and can fail or
// crash, replies of servers and processes are scripted, randomness is seeded.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/env.h"
#include "tests/support/fake_files.h"
#include "tests/support/fake_http.h"
#include "tests/support/fake_processes.h"

namespace helve {

// Thread-safe. Starts at 2025-01-01T00:00:00Z.
class FakeClock final : public Clock {
 public:
  MonotonicTime now() const override;
  WallTime wall() const override;
  void sleep_for(Duration duration) override { advance(duration); }
  void advance(Duration duration);
  Duration elapsed() const;

 private:
  mutable std::mutex mutex_;
  Duration elapsed_{0};
};

// The same bytes for the same seed. Thread-safe.
class FakeRandom final : public Random {
 public:
  explicit FakeRandom(std::uint64_t seed = 1) : state_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override;

 private:
  std::mutex mutex_;
  std::uint64_t state_;
};

class FakeEnv final : public Env {
 public:
  FakeClock& clock() override { return clock_; }
  FakeFiles& files() override { return files_; }
  FakeHttp& http() override { return http_; }
  FakeProcesses& processes() override { return processes_; }
  FakeRandom& random() override { return random_; }

 private:
  FakeClock clock_;
  FakeFiles files_{clock_};
  FakeHttp http_;
  FakeProcesses processes_;
  FakeRandom random_;
};

}  // namespace helve
