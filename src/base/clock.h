// Clock: the first part of the Env seam, apart because deadlines need nothing else of it.
#pragma once

#include <chrono>

namespace helve {

using MonotonicTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;
using Duration = std::chrono::nanoseconds;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime now() const = 0;
  virtual WallTime wall() const = 0;
  virtual void sleep_for(Duration duration) = 0;
};

// The machine's own clock; lives for the whole process.
Clock& real_clock();

}  // namespace helve
