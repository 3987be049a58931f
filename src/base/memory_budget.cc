// Nested memory accounts. A reservation first takes here, then in the parents, and is undone on
// the way back when one of them refuses.
#include "base/memory_budget.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace helve {

namespace {

std::size_t machine_memory_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  std::size_t bytes = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t group_max = 0;
  if (std::ifstream file("/sys/fs/cgroup/memory.max"); file >> group_max) {
    bytes = std::min(bytes, group_max);
  }
  return bytes;
}

}  // namespace

Result<void> MemoryBudget::reserve(std::size_t bytes, std::string_view what) {
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > bytes_max_ - std::min(used, bytes_max_)) {
      return Error{
          ErrorCode::LimitExceeded,
          fmt::format("{} needs {} more bytes than the {} memory budget of {} MiB allows", what,
                      bytes - (bytes_max_ - std::min(used, bytes_max_)), name_, bytes_max_ / kMiB),
          "raise the memory limit or work on less data at once"};
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  if (parent_ != nullptr) {
    if (auto reserved = parent_->reserve(bytes, what); !reserved) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      return std::move(reserved).error();
    }
  }
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used + bytes &&
         !peak_.compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
  }
  return {};
}

void MemoryBudget::release(std::size_t bytes) noexcept {
  const std::size_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
  HELVE_CHECK(before >= bytes);
  if (parent_ != nullptr) parent_->release(bytes);
}

std::size_t MemoryBudget::bytes_free() const {
  const std::size_t free = bytes_max_ - std::min(bytes_used(), bytes_max_);
  return parent_ != nullptr ? std::min(free, parent_->bytes_free()) : free;
}

std::size_t MemoryBudget::bytes_limit() const {
  return parent_ != nullptr ? std::min(bytes_max_, parent_->bytes_limit()) : bytes_max_;
}

MemoryBudget& process_memory() {
  static MemoryBudget budget("process", machine_memory_bytes() / 10 * 9);
  return budget;
}

MemoryCharge::MemoryCharge(MemoryCharge&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      what_(std::move(other.what_)),
      bytes_(std::exchange(other.bytes_, 0)) {}

MemoryCharge& MemoryCharge::operator=(MemoryCharge&& other) noexcept {
  if (this == &other) return *this;
  reset();
  budget_ = std::exchange(other.budget_, nullptr);
  what_ = std::move(other.what_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

Result<void> MemoryCharge::resize(std::size_t bytes) {
  if (bytes > bytes_) {
    HELVE_CHECK(budget_ != nullptr);
    HELVE_TRY(budget_->reserve(bytes - bytes_, what_));
  } else if (bytes < bytes_) {
    budget_->release(bytes_ - bytes);
  }
  bytes_ = bytes;
  return {};
}

void MemoryCharge::reset() noexcept {
  if (bytes_ > 0) budget_->release(bytes_);
  bytes_ = 0;
}

}  // namespace helve
