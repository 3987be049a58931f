// Packs values into a PackedColumn, block by block. packed_column_stream.h does so for columns that
// do not fit into memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sources/store/packed_column.h"

namespace helve::store {

// The bits of one block; the first `width` units of it are used.
using PackedWords = std::array<std::uint64_t, PackedColumn<std::uint64_t>::kBlockValues>;

template <typename Value>
struct PackedBlockShape {
  Value least = 0;
  std::uint32_t width = 0;  // of a value in bits, and of the block in units
};

// REQUIRES: one to kBlockValues values. A block that is not full is filled up with its least one.
template <typename Value>
PackedBlockShape<Value> pack_block(std::span<const Value> values, PackedWords& words);

template <typename Value>
class PackedColumnBuilder {
 public:
  using Packed = PackedColumn<Value>;

  void reserve(std::uint64_t size) { headers_.reserve(Packed::blocks_of(size) + 1); }
  // All blocks but the last must be full.
  void add_block(std::span<const Value> values);
  Packed finish();

 private:
  std::vector<PackedHeader<Value>> headers_;
  std::vector<std::uint64_t> words_;
  std::uint64_t size_ = 0;
};

extern template class PackedColumnBuilder<std::uint32_t>;
extern template class PackedColumnBuilder<std::uint64_t>;

// Packs get(0) ... get(size - 1).
template <typename Value, typename Get>
PackedColumn<Value> pack_column(std::uint64_t size, Get&& get) {
  constexpr std::uint64_t kBlockValues = PackedColumn<Value>::kBlockValues;
  PackedColumnBuilder<Value> builder;
  builder.reserve(size);
  std::array<Value, kBlockValues> block;
  for (std::uint64_t first = 0; first < size; first += kBlockValues) {
    const std::uint64_t count = std::min(kBlockValues, size - first);
    for (std::uint64_t i = 0; i < count; ++i) block[i] = get(first + i);
    builder.add_block({block.data(), count});
  }
  return builder.finish();
}

template <typename Value>
PackedColumn<Value> pack_column(std::span<const Value> values) {
  return pack_column<Value>(values.size(), [values](std::uint64_t i) { return values[i]; });
}

}  // namespace helve::store
