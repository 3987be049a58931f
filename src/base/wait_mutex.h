// WaitMutex: a mutex that can be waited for with a time limit. std::timed_mutex would do, but
// ThreadSanitizer does not see how GCC's locks it, and takes what it protects for unprotected.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/op_context.h"
#include "base/result.h"

namespace helve {

// For std::unique_lock and std::lock_guard.
class WaitMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return !is_held_; });
    is_held_ = true;
  }
  bool try_lock() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(is_held_, true);
  }
  template <typename Duration>
  bool try_lock_for(const Duration& longest) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, longest, [this] { return !is_held_; })) return false;
    is_held_ = true;
    return true;
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      is_held_ = false;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  bool is_held_ = false;
};

// Waits as long as the context lets it.
inline Result<std::unique_lock<WaitMutex>> lock_within(WaitMutex& mutex, const OpContext& context) {
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20))) HELVE_TRY(context.check());
  return lock;
}

}  // namespace helve
