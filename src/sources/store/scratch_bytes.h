// ScratchBytes: bytes that are written one after the other and then read as a column. They stay in
// memory while they are few, or where there is no scratch space, and go into a file otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/store/column.h"
#include "sources/store/scratch_space.h"

namespace helve::store {

// Where builders put what they make; both must outlive them, and `memory` what they make too.
struct BuildPlace {
  ScratchSpace* scratch = nullptr;  // null: in memory alone
  MemoryBudget* memory = &process_memory();
};

// Not thread-safe.
class ScratchBytes {
 public:
  static constexpr std::size_t kBufferBytes = 256 * kKiB;
  static constexpr std::size_t kKeptBytes = 16 * kKiB;  // in memory though there is scratch space

  explicit ScratchBytes(const BuildPlace& place)
      : scratch_(place.scratch), charge_(*place.memory, "building an index") {}

  // To append to; settle() comes after that.
  std::vector<char>& buffer() { return buffer_; }
  Result<void> settle() {
    const bool is_quiet =
        scratch_ != nullptr ? buffer_.size() < kBufferBytes : buffer_.capacity() == charge_.bytes();
    if (is_quiet) [[likely]]
      return {};
    return scratch_ != nullptr ? spill() : charge_.resize(buffer_.capacity());
  }
  Result<void> append(std::string_view bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return settle();
  }
  std::uint64_t size() const { return spilled_ + buffer_.size(); }

  // Call once, last. The column owns the bytes and what they are charged for.
  template <typename T>
  Result<Column<T>> finish() {
    HELVE_ASSIGN(const Column<char> bytes, finish_bytes());
    return Column<T>({reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)},
                     bytes.owner());
  }

 private:
  Result<void> spill();
  Result<Column<char>> finish_bytes();

  ScratchSpace* scratch_;
  MemoryCharge charge_;
  std::vector<char> buffer_;
  std::uint64_t spilled_ = 0;
  std::unique_ptr<ScratchFile> file_;
};

}  // namespace helve::store
