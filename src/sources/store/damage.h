// Damage: the first thing found wrong with a file in use. Readers go on with zeroes in its place,
// and whoever hands out results asks here before it does.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"

namespace helve::store {

// Thread-safe. Once set, it stays.
class Damage {
 public:
  void report(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    is_set_.store(true, std::memory_order_release);
  }
  std::optional<Error> error() const {
    if (!is_set_.load(std::memory_order_acquire)) [[likely]]
      return std::nullopt;
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  std::atomic<bool> is_set_{false};
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace helve::store
