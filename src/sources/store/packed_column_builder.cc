// Packing, with the width known to the compiler.
#include "sources/store/packed_column_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace helve::store {

namespace {

// 64 values of w bits are w words; each value goes into one or two of them.
constexpr std::size_t kHalf = 64;

template <typename Value, unsigned kWidth>
void pack_half(const Value* values, Value least, std::uint64_t* out) {
  if constexpr (kWidth > 0) {
    std::uint64_t word = 0;
    std::uint32_t used = 0;
#pragma GCC unroll 64
    for (std::size_t i = 0; i < kHalf; ++i) {
      const std::uint64_t offset = values[i] - least;
      word |= offset << used;
      used += kWidth;
      if (used >= 64) {
        *out++ = word;
        used -= 64;
        word = used > 0 ? offset >> (kWidth - used) : 0;
      }
    }
  }
}

template <typename Value>
using Packer = void (*)(const Value* values, Value least, std::uint64_t* out);

template <typename Value, std::size_t... kWidths>
constexpr auto packers(std::index_sequence<kWidths...> /*widths*/) {
  return std::array<Packer<Value>, sizeof...(kWidths)>{&pack_half<Value, kWidths>...};
}

template <typename Value>
std::uint32_t width_of(Value most) {
  const auto width = static_cast<std::uint32_t>(std::bit_width(most));
  return width > PackedColumn<Value>::kWidthMax ? PackedColumn<Value>::kFullWidth : width;
}

}  // namespace

template <typename Value>
PackedBlockShape<Value> pack_block(std::span<const Value> values, PackedWords& words) {
  using Packed = PackedColumn<Value>;
  static constexpr auto kPackers =
      packers<Value>(std::make_index_sequence<Packed::kFullWidth + 1>());
  Value least = values[0];
  Value most = values[0];
  for (const Value value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const std::uint32_t width = width_of<Value>(most - least);
  std::array<Value, Packed::kBlockValues> padded;
  const Value* from = values.data();
  if (values.size() < padded.size()) {
    std::fill(std::copy(values.begin(), values.end(), padded.begin()), padded.end(), least);
    from = padded.data();
  }
  kPackers[width](from, least, words.data());
  kPackers[width](from + kHalf, least, words.data() + width);
  return {least, width};
}

template PackedBlockShape<std::uint32_t> pack_block(std::span<const std::uint32_t>, PackedWords&);
template PackedBlockShape<std::uint64_t> pack_block(std::span<const std::uint64_t>, PackedWords&);

template <typename Value>
void PackedColumnBuilder<Value>::add_block(std::span<const Value> values) {
  constexpr std::size_t kUnitWords = Packed::kUnitBytes / sizeof(std::uint64_t);
  PackedWords words;
  const PackedBlockShape<Value> shape = pack_block(values, words);
  headers_.push_back({shape.least, static_cast<Value>(words_.size() / kUnitWords)});
  size_ += values.size();
  words_.insert(words_.end(), words.begin(), words.begin() + shape.width * kUnitWords);
}

template <typename Value>
PackedColumn<Value> PackedColumnBuilder<Value>::finish() {
  constexpr std::size_t kUnitWords = Packed::kUnitBytes / sizeof(std::uint64_t);
  if (size_ == 0) return {};
  headers_.push_back({0, static_cast<Value>(words_.size() / kUnitWords)});
  words_.resize(words_.size() + kUnitWords);
  words_.shrink_to_fit();
  headers_.shrink_to_fit();
  const auto words = std::make_shared<const std::vector<std::uint64_t>>(std::move(words_));
  const std::span<const char> bytes(reinterpret_cast<const char*>(words->data()),
                                    words->size() * sizeof(std::uint64_t));
  return {Column<PackedHeader<Value>>::own(std::move(headers_)), Column<char>(bytes, words), size_};
}

template class PackedColumnBuilder<std::uint32_t>;
template class PackedColumnBuilder<std::uint64_t>;

}  // namespace helve::store
