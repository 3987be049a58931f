// Rows as codes of their values, with what is beside these: what row_match.h numbers, groups and
// pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace helve::agent {

// One row behind the other: of each the values, then their languages and blank nodes, where there
// are any.
struct KeyedRows {
  std::size_t values = 0;
  std::size_t width = 0;
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> kept;  // rows that count, in their order

  std::span<const std::uint32_t> row(std::uint64_t number) const {
    return {cells.data() + number * width, width};
  }
  std::span<const std::uint32_t> key(std::uint64_t number) const {
    return row(number).first(values);
  }
};

// Numbers different rows in the order in which they come. The rows outlive it.
class RowNumbers {
 public:
  // At most so many.
  explicit RowNumbers(std::size_t rows) {
    std::size_t slots = 16;
    while (slots < rows * 2) slots *= 2;
    slots_.resize(slots);
  }

  std::uint32_t number(std::span<const std::uint32_t> cells) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (const std::uint32_t cell : cells) {
      hash = (hash ^ cell) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32U;
    }
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      if (slots_[slot] == 0) {
        rows_.push_back(cells);
        slots_[slot] = static_cast<std::uint32_t>(rows_.size());
        return slots_[slot] - 1;
      }
      const auto& known = rows_[slots_[slot] - 1];
      if (std::equal(known.begin(), known.end(), cells.begin(), cells.end())) {
        return slots_[slot] - 1;
      }
    }
  }
  std::size_t count() const { return rows_.size(); }

 private:
  std::vector<std::uint32_t> slots_;  // one more than the number; 0: free
  std::vector<std::span<const std::uint32_t>> rows_;
};

}  // namespace helve::agent
