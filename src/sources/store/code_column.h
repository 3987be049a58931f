// CodeColumn: one part of a sorted order, packed. Where a store has few different codes in a part
// (predicates, graphs), the column holds their places in the list of them instead, which are small.
#pragma once

#include <cstdint>
#include <utility>

#include "sources/store/column.h"
#include "sources/store/packed_column.h"

namespace helve::store {

// A term's place among all terms of one store; the order of codes is the order of ids.
using Code = std::uint32_t;

// A stretch of rows of one permutation.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first; }
  bool empty() const { return first == last; }
};

// Immutable; thread-safe.
class CodeColumn {
 public:
  // Lists that are longer do not pay: they are not nearly always in the cache.
  static constexpr std::size_t kNamesMax = 65'536;

  CodeColumn() = default;
  // `names`, ascending: the values are places in it. Empty: they are codes.
  explicit CodeColumn(PackedColumn<Code> values, Column<Code> names = {})
      : values_(std::move(values)), names_(std::move(names)) {}

  std::uint64_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  std::size_t bytes() const { return values_.bytes(); }  // without the names, which columns share
  const PackedColumn<Code>& values() const { return values_; }
  const Column<Code>& names() const { return names_; }

  Code operator[](std::uint64_t row) const { return code(values_[row]); }
  void read(RowRange rows, Code* out) const;
  // The codes of `rows` must ascend for these. The rows that have `code`:
  RowRange narrow(RowRange rows, Code code) const;
  // The first one whose code is not less, looking near the front first.
  std::uint64_t seek(RowRange rows, Code code) const {
    return values_.seek(rows.first, rows.last, value_of(code));
  }

 private:
  Code code(Code value) const { return names_.empty() ? value : names_[value]; }
  // What stands for the first code that is not less.
  Code value_of(Code code) const;
  RowRange narrow_many(RowRange rows, Code code) const;
  template <typename Get>
  static RowRange narrow_few(RowRange rows, Code code, const Get& get);

  PackedColumn<Code> values_;
  Column<Code> names_;
};

template <typename Get>
inline RowRange CodeColumn::narrow_few(RowRange rows, Code code, const Get& get) {
  while (rows.first < rows.last && get(rows.first) < code) ++rows.first;
  std::uint64_t last = rows.first;
  while (last < rows.last && get(last) == code) ++last;
  return {rows.first, last};
}

inline RowRange CodeColumn::narrow(RowRange rows, Code wanted) const {
  constexpr std::uint64_t kWorthSearching = 16;
  constexpr std::uint64_t kBlock = PackedColumn<Code>::kBlockValues;
  if (rows.size() > kWorthSearching) return narrow_many(rows, wanted);
  if (rows.empty()) return rows;
  if (rows.first / kBlock != (rows.last - 1) / kBlock) {
    return narrow_few(rows, wanted, [this](std::uint64_t row) { return (*this)[row]; });
  }
  const PackedBlock<Code> block = values_.block(rows.first / kBlock);
  return narrow_few(rows, wanted, [&](std::uint64_t row) { return code(block[row % kBlock]); });
}

}  // namespace helve::store
