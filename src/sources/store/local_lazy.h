// Lazy: a value that is made at its first use, by one of the threads that ask, and then shared.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::store {

// Thread-safe. No lock is held while the value is made: those who come meanwhile wait, each as long
// as its context lets it. Where making it fails, one of them tries again with its own context.
template <typename T>
class Lazy {
 public:
  using Value = std::shared_ptr<const T>;

  // Null while there is none.
  Value peek() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  // `make` returns Result<Value>.
  template <typename Make>
  Result<Value> get(const OpContext& context, Make&& make) {
    {
      std::unique_lock lock(mutex_);
      while (is_being_made_) {
        changed_.wait_for(lock, kPatience);
        if (is_being_made_) HELVE_TRY(context.check());
      }
      if (value_ != nullptr) return value_;
      is_being_made_ = true;
    }
    const Making making(*this);  // also where memory runs out and an exception passes
    Result<Value> made = std::forward<Make>(make)();
    if (made) {
      const std::lock_guard lock(mutex_);
      value_ = *made;
    }
    return made;
  }

  // Has it made again at the next use, if it is still this one.
  void drop(const Value& value) {
    const std::lock_guard lock(mutex_);
    if (value_ == value) value_ = nullptr;
  }

 private:
  class Making {
   public:
    explicit Making(Lazy& lazy) : lazy_(lazy) {}
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;
    ~Making() {
      const std::lock_guard lock(lazy_.mutex_);
      lazy_.is_being_made_ = false;
      lazy_.changed_.notify_all();
    }

   private:
    Lazy& lazy_;
  };

  static constexpr std::chrono::milliseconds kPatience{10};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_being_made_ = false;
  Value value_;
};

}  // namespace helve::store
