// ProgressWatch: looks at running calls from time to time, so that who waits hears of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace helve::mcp {

// Thread-safe. Has a thread only once somebody watches.
class ProgressWatch {
 public:
  explicit ProgressWatch(Duration every) : every_(every) {}
  ~ProgressWatch();
  ProgressWatch(const ProgressWatch&) = delete;
  ProgressWatch& operator=(const ProgressWatch&) = delete;

  // `look` is called on another thread until remove() returns, never at the same time as another.
  std::uint64_t add(std::function<void()> look);
  void remove(std::uint64_t key);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::function<void()>> looks_;
  std::uint64_t last_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
  Duration every_;
};

}  // namespace helve::mcp
