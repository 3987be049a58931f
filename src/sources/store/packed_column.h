// PackedColumn: integers in blocks of 128, each stored as its distance from the least one of its
// block, in as many bits as the largest distance needs. Any value is one load away; ranges are
// decoded block by block. Made by PackedColumnBuilder (packed_column_builder.h) or mapped.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sources/store/chunk_guard.h"
#include "sources/store/column.h"

namespace helve::store {

static_assert(std::endian::native == std::endian::little, "packed bits are read as they lie");

// A block of w bits takes w units, so that the width is the distance to the place of the next one.
template <typename Value>
struct PackedHeader {
  Value least = 0;
  Value place = 0;  // in units
};

// One block, ready to be read.
template <typename Value>
struct PackedBlock {
  const char* data = nullptr;
  Value least = 0;
  std::uint32_t width = 0;
  std::uint64_t mask = 0;

  Value operator[](std::uint64_t i) const {
    const std::uint64_t bit = i * width;
    std::uint64_t word = 0;
    std::memcpy(&word, data + bit / 8, sizeof(word));
    return least + static_cast<Value>(word >> bit % 8 & mask);
  }
  // The first of [first, last) that is not less than `value`. REQUIRES: these ascend.
  std::uint64_t lower_bound(std::uint64_t first, std::uint64_t last, Value value) const {
    while (first < last) {
      const std::uint64_t middle = (first + last) / 2;
      if ((*this)[middle] < value) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }
};

// Immutable; thread-safe. What a guard finds damaged reads as zeroes.
template <typename Value>
class PackedColumn {
 public:
  using Header = PackedHeader<Value>;
  using Block = PackedBlock<Value>;

  static constexpr std::uint64_t kBlockValues = 128;
  static constexpr std::uint64_t kUnitBytes = kBlockValues / 8;
  static constexpr std::uint64_t kChunkBlocks = 16;  // what is checked at once
  // Wider offsets would not fit into one load; full words do.
  static constexpr std::uint32_t kWidthMax = sizeof(Value) == 4 ? 32 : 57;
  static constexpr std::uint32_t kFullWidth = 8 * sizeof(Value);

  PackedColumn() = default;
  // `headers` has one for each block and one more, for where the last one ends; `data` one unit
  // more than they say, so that no load leaves it. A guard must live as long as their owner.
  PackedColumn(Column<Header> headers, Column<char> data, std::uint64_t size,
               const ChunkGuard* guard = nullptr)
      : headers_(std::move(headers)), data_(std::move(data)), size_(size), guard_(guard) {}

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return headers_.bytes() + data_.bytes(); }
  const Column<Header>& headers() const { return headers_; }
  const Column<char>& data() const { return data_; }

  static constexpr std::uint64_t blocks_of(std::uint64_t size) {
    return (size + kBlockValues - 1) / kBlockValues;
  }
  static constexpr std::uint64_t chunks_of(std::uint64_t size) {
    return (blocks_of(size) + kChunkBlocks - 1) / kChunkBlocks;
  }

  // REQUIRES: below size().
  Value operator[](std::uint64_t i) const { return block(i / kBlockValues)[i % kBlockValues]; }
  // Values i and i + 1. REQUIRES: both below size().
  std::pair<Value, Value> pair_at(std::uint64_t i) const {
    const Block here = block(i / kBlockValues);
    const std::uint64_t k = i % kBlockValues;
    return {here[k], k + 1 < kBlockValues ? here[k + 1] : (*this)[i + 1]};
  }
  Block block(std::uint64_t index) const;
  // Has everything checked.
  bool is_sound() const;

  // Decodes [first, last). REQUIRES: room for them in `out`.
  void read(std::uint64_t first, std::uint64_t last, Value* out) const;

  // The first of [first, last) that is not less than `value`. REQUIRES: these ascend.
  std::uint64_t lower_bound(std::uint64_t first, std::uint64_t last, Value value) const;
  // The same, looking near `first` first.
  std::uint64_t seek(std::uint64_t first, std::uint64_t last, Value value) const;

 private:
  bool is_good(std::uint64_t block) const {
    return guard_ == nullptr || guard_->is_good(block / kChunkBlocks);
  }
  // The first value of a block that lies in an ascending range with all of its values.
  Value head(std::uint64_t block) const { return is_good(block) ? headers_[block].least : 0; }

  Column<Header> headers_;
  Column<char> data_;
  std::uint64_t size_ = 0;
  const ChunkGuard* guard_ = nullptr;
};

extern template class PackedColumn<std::uint32_t>;
extern template class PackedColumn<std::uint64_t>;

template <typename Value>
inline PackedBlock<Value> PackedColumn<Value>::block(std::uint64_t index) const {
  static constexpr std::array<char, 8> kZeroes{};
  if (!is_good(index)) [[unlikely]]
    return {kZeroes.data(), 0, 0, 0};
  const Header* const header = headers_.data() + index;
  const auto width = static_cast<std::uint32_t>(header[1].place - header[0].place);
  const std::uint64_t beyond = width < 64 ? std::uint64_t{1} << width : 0;
  return {data_.data() + std::uint64_t{header->place} * kUnitBytes, header->least, width,
          beyond - 1};
}

}  // namespace helve::store
