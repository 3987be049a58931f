// Held: a value of the library inside of a Python object.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "surfaces/python/gil.h"
#include "surfaces/python/raise.h"

namespace helve::python {

// Grows with each fork() that made this process. watch_forks() once, when the module is loaded.
std::uint64_t fork_generation() noexcept;
void watch_forks();

// Threads do not survive fork(): in the child, the value can neither be used nor destroyed. It is
// then left where it is. Destroying may take time and runs without the GIL.
template <typename T>
class Held {
 public:
  explicit Held(T value)
      : value_(std::make_shared<T>(std::move(value))), generation_(fork_generation()) {}
  Held(Held&&) noexcept = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held& operator=(Held&&) = delete;
  ~Held() { close(); }

  // Keep it as long as it is used: another thread may close() meanwhile. Raises after close() and
  // in a child of the process that made it.
  std::shared_ptr<T> get() const {
    if (value_ == nullptr) {
      raise({api::ErrorCode::Unavailable, "this session, source or sandbox was closed",
             "open another one"});
    }
    if (generation_ != fork_generation()) {
      raise({api::ErrorCode::Unavailable,
             "this was opened before the process was forked, and its threads stayed behind",
             "open another one here, or start processes by 'spawn' or 'forkserver'"});
    }
    return value_;
  }

  bool is_open() const noexcept { return value_ != nullptr && generation_ == fork_generation(); }

  // It is destroyed when the last call that uses it is back. Needs the GIL.
  void close() noexcept {
    if (value_ == nullptr) return;
    if (generation_ != fork_generation()) {
      leave();
      return;
    }
    std::shared_ptr<T> value = std::move(value_);
    value_ = nullptr;
    const ReleasedGil released;
    value.reset();
  }

 private:
  // Forgets the value without destroying it: its last reference is never given back.
  void leave() noexcept {
    alignas(std::shared_ptr<T>) std::byte kept[sizeof(std::shared_ptr<T>)];
    new (kept) std::shared_ptr<T>(std::move(value_));
    value_ = nullptr;
  }

  std::shared_ptr<T> value_;
  std::uint64_t generation_;
};

}  // namespace helve::python
