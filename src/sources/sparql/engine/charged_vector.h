// Growth of vectors that is charged before it is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"

namespace helve::sparql {

// Room for `count` entries in all: while a vector moves, the old memory is there too. `other_bytes`
// is what the charge holds beside it.
template <typename T>
Result<void> reserve_charged(std::vector<T>& entries, std::size_t count, MemoryCharge& charge,
                             std::size_t other_bytes) {
  HELVE_TRY(charge.resize(other_bytes + (count + entries.capacity()) * sizeof(T)));
  entries.reserve(count);
  return charge.resize(other_bytes + entries.capacity() * sizeof(T));
}

// A vector with a charge of its own, which grows by doubling.
template <typename T>
class ChargedVector {
 public:
  ChargedVector(MemoryBudget& budget, std::string_view what) : charge_(budget, what) {}

  // At least `count` entries; new ones are `value`.
  Result<void> grow_to(std::size_t count, const T& value) {
    if (count <= entries_.size()) return {};
    if (count > entries_.capacity()) {
      constexpr std::size_t kFirst = 16;
      HELVE_TRY(reserve_charged(entries_, std::max({kFirst, count, 2 * entries_.capacity()}),
                                charge_, 0));
    }
    entries_.resize(count, value);
    return {};
  }
  // The last entry becomes the first and only one. REQUIRES: not empty.
  void keep_last() {
    std::swap(entries_.front(), entries_.back());
    entries_.resize(1, entries_.front());
  }
  // Empty; keeps its memory.
  void clear() { entries_.clear(); }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return charge_.bytes(); }
  T& operator[](std::size_t at) { return entries_[at]; }
  const T& operator[](std::size_t at) const { return entries_[at]; }

 private:
  MemoryCharge charge_;  // before the entries: released after them
  std::vector<T> entries_;
};

}  // namespace helve::sparql
