// LeakageMeter: how much of what was asked for went into the prompt, per call and per session. And
// the repeat guard, which tells a caller that it asks the same thing again.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace helve::toolkit {

struct LeakageLine {
  std::string tool;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t reply_chars = 0;      // that went out
  std::uint64_t reply_chars_max = 0;  // of one call
  std::uint64_t stored_chars = 0;     // that stayed behind handles
};

struct LeakageReport {
  std::vector<LeakageLine> tools;  // by name
  LeakageLine total;
};

// Thread-safe.
class LeakageMeter {
 public:
  void add(std::string_view tool, std::uint64_t reply_chars, std::uint64_t stored_chars,
           bool is_error);
  LeakageReport report() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, LeakageLine, std::less<>> lines_;
};

// Remembers the last calls of a session by hash. Thread-safe.
class RepeatGuard {
 public:
  static constexpr std::size_t kRemembered = 256;
  // How often this call was made before, among those remembered, with the same answer.
  std::uint64_t note(std::string_view call_hash, std::string_view reply_hash);

 private:
  struct Seen {
    std::string reply_hash;
    std::uint64_t times = 0;
    std::uint64_t last = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Seen, std::less<>> seen_;
  std::uint64_t counter_ = 0;
};

}  // namespace helve::toolkit
