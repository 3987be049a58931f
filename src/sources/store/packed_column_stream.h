// PackedColumnStream: packs values that come one after the other, without keeping them in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "sources/store/packed_column.h"
#include "sources/store/scratch_bytes.h"

namespace helve::store {

// The column is the one that PackedColumnBuilder makes of the same values. Not thread-safe.
template <typename Value>
class PackedColumnStream {
 public:
  explicit PackedColumnStream(const BuildPlace& place) : headers_(place), data_(place) {}

  Result<void> add(Value value) {
    block_[held_++] = value;
    if (held_ < block_.size()) [[likely]]
      return {};
    return pack();
  }
  Result<void> add(std::span<const Value> values);
  std::uint64_t size() const { return packed_ + held_; }
  // Call once, last.
  Result<PackedColumn<Value>> finish();

 private:
  Result<void> pack();
  Result<void> add_header(Value least);

  std::array<Value, PackedColumn<Value>::kBlockValues> block_;
  std::size_t held_ = 0;      // in block_
  std::uint64_t packed_ = 0;  // values
  ScratchBytes headers_;
  ScratchBytes data_;
};

extern template class PackedColumnStream<std::uint32_t>;
extern template class PackedColumnStream<std::uint64_t>;

}  // namespace helve::store
