// CodeCursor: walks over a column of ascending codes, decoding a block at a time. For keys that
// come one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sources/store/code_column.h"

namespace helve::store {

// The column must outlive it. Not thread-safe.
class CodeCursor {
 public:
  explicit CodeCursor(const CodeColumn& column) : column_(&column) {}

  // REQUIRES: row < column.size().
  Code at(std::uint64_t row) {
    if (row - first_ >= size_) load(row);
    return codes_[row - first_];
  }

  // The first of `rows` whose code is not less; their end if there is none.
  std::uint64_t seek(RowRange rows, Code code) {
    if (rows.empty()) return rows.last;
    if (rows.first - first_ >= size_) load(rows.first);
    const std::uint64_t end = std::min(rows.last, first_ + size_);
    if (codes_[end - 1 - first_] < code) {
      if (end == rows.last) return end;
      const std::uint64_t found = column_->seek({end, rows.last}, code);
      if (found < rows.last) load(found);
      return found;
    }
    // Mostly the next one or one of the next.
    const Code* const begin = codes_.data() + (rows.first - first_);
    const Code* at = begin;
    constexpr int kNear = 8;
    for (int i = 0; i < kNear && *at < code; ++i) ++at;
    if (*at < code) at = std::lower_bound(at, begin + (end - rows.first), code);
    return rows.first + static_cast<std::uint64_t>(at - begin);
  }

 private:
  static constexpr std::uint64_t kBlock = PackedColumn<Code>::kBlockValues;

  void load(std::uint64_t row) {
    first_ = row / kBlock * kBlock;
    size_ = std::min(kBlock, column_->size() - first_);
    column_->read({first_, first_ + size_}, codes_.data());
  }

  const CodeColumn* column_;
  std::uint64_t first_ = 0;
  std::uint64_t size_ = 0;
  std::array<Code, kBlock> codes_{};
};

}  // namespace helve::store
