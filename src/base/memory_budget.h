// MemoryBudget: nested accounts of bytes (process, session, query). Reserving beyond any of them is
// an expected failure with a clear error, so that the process never meets the allocator's limit.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

// Thread-safe. The parent must outlive the child.
class MemoryBudget {
 public:
  MemoryBudget(std::string name, std::size_t bytes_max, MemoryBudget* parent = nullptr)
      : name_(std::move(name)), bytes_max_(bytes_max), parent_(parent) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Takes bytes here and in every parent, or nowhere. `what` names the operation in the error.
  Result<void> reserve(std::size_t bytes, std::string_view what);
  // REQUIRES: the bytes were reserved.
  void release(std::size_t bytes) noexcept;

  std::size_t bytes_used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t bytes_peak() const { return peak_.load(std::memory_order_relaxed); }
  std::size_t bytes_max() const { return bytes_max_; }
  // What could be reserved now, here and in every parent, and what could be at most.
  std::size_t bytes_free() const;
  std::size_t bytes_limit() const;

 private:
  const std::string name_;
  const std::size_t bytes_max_;
  MemoryBudget* const parent_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> peak_{0};
};

// The outermost budget: the memory of the machine or its control group, less a reserve.
MemoryBudget& process_memory();

// Bytes held from a budget, given back on destruction. Move-only; not thread-safe.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  MemoryCharge(MemoryBudget& budget, std::string_view what) : budget_(&budget), what_(what) {}
  MemoryCharge(MemoryCharge&& other) noexcept;
  MemoryCharge& operator=(MemoryCharge&& other) noexcept;
  ~MemoryCharge() { reset(); }

  // Grows or shrinks to `bytes`; on failure nothing changes.
  Result<void> resize(std::size_t bytes);
  Result<void> add(std::size_t bytes) { return resize(bytes_ + bytes); }
  std::size_t bytes() const { return bytes_; }
  void reset() noexcept;

 private:
  MemoryBudget* budget_ = nullptr;
  std::string what_;
  std::size_t bytes_ = 0;
};

}  // namespace helve
