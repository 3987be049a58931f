// Decoding with the width known to the compiler, and searching: headers first, then in one block.
#include "sources/store/packed_column.h"

#include <utility>

namespace helve::store {

namespace {

// Eight values of w bits are w bytes: every shift is a constant.
constexpr std::uint64_t kGroup = 8;

template <typename Value, unsigned kWidth, std::size_t... kPlaces>
inline void decode_group(const char* data, Value least, Value* out,
                         std::index_sequence<kPlaces...> /*places*/) {
  constexpr std::uint64_t kMask =
      kWidth == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << kWidth % 64) - 1;
  const auto decode = [&](std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i * kWidth / 8, sizeof(word));
    out[i] = least + static_cast<Value>(word >> i * kWidth % 8 & kMask);
  };
  (decode(kPlaces), ...);
}

template <typename Value, unsigned kWidth>
void decode_groups(const char* data, Value least, std::uint64_t groups, Value* out) {
  if constexpr (kWidth == 0) {
    std::fill_n(out, groups * kGroup, least);
  } else {
    for (std::uint64_t i = 0; i < groups; ++i) {
      decode_group<Value, kWidth>(data + i * kWidth, least, out + i * kGroup,
                                  std::make_index_sequence<kGroup>());
    }
  }
}

template <typename Value>
using Decoder = void (*)(const char* data, Value least, std::uint64_t groups, Value* out);

template <typename Value, std::size_t... kWidths>
constexpr auto decoders(std::index_sequence<kWidths...> /*widths*/) {
  return std::array<Decoder<Value>, sizeof...(kWidths)>{&decode_groups<Value, kWidths>...};
}

// Values [first, last) of one block.
template <typename Value>
void decode(const PackedBlock<Value>& block, std::uint64_t first, std::uint64_t last, Value* out) {
  static constexpr auto kDecoders =
      decoders<Value>(std::make_index_sequence<PackedColumn<Value>::kFullWidth + 1>());
  const std::uint64_t groups_from = std::min((first + kGroup - 1) / kGroup * kGroup, last);
  while (first < groups_from) *out++ = block[first++];
  const std::uint64_t groups = (last - first) / kGroup;
  kDecoders[block.width](block.data + first / kGroup * block.width, block.least, groups, out);
  out += groups * kGroup;
  first += groups * kGroup;
  while (first < last) *out++ = block[first++];
}

}  // namespace

template <typename Value>
void PackedColumn<Value>::read(std::uint64_t first, std::uint64_t last, Value* out) const {
  while (first < last) {
    const std::uint64_t in_block = first % kBlockValues;
    const std::uint64_t count = std::min(kBlockValues - in_block, last - first);
    decode(block(first / kBlockValues), in_block, in_block + count, out);
    out += count;
    first += count;
  }
}

template <typename Value>
bool PackedColumn<Value>::is_sound() const {
  if (guard_ == nullptr) return true;
  bool is_sound = true;
  for (std::uint64_t i = 0; i < chunks_of(size_); ++i) is_sound = guard_->is_good(i) && is_sound;
  return is_sound;
}

template <typename Value>
std::uint64_t PackedColumn<Value>::lower_bound(std::uint64_t first, std::uint64_t last,
                                               Value value) const {
  if (first >= last) return first;
  // The block to look into: the last one that starts with less. All behind the first lie in the
  // range from their first value on, and all but the last as a whole.
  std::uint64_t low = first / kBlockValues;
  const std::uint64_t last_block = (last - 1) / kBlockValues;
  if (low < last_block) {
    if ((*this)[last_block * kBlockValues] < value) {
      low = last_block;
    } else {
      std::uint64_t high = last_block;
      while (high - low > 1) {
        const std::uint64_t middle = (low + high) / 2;
        (head(middle) < value ? low : high) = middle;
      }
    }
  }
  const std::uint64_t start = low * kBlockValues;
  const std::uint64_t from = std::max(first, start) - start;
  const std::uint64_t to = std::min(last - start, kBlockValues);
  return start + block(low).lower_bound(from, to, value);
}

template <typename Value>
std::uint64_t PackedColumn<Value>::seek(std::uint64_t first, std::uint64_t last,
                                        Value value) const {
  if (first >= last || (*this)[first] >= value) return first;
  std::uint64_t less = first;
  std::uint64_t behind = less + 1;
  for (std::uint64_t step = 1; behind < last && (*this)[behind] < value; step *= 2) {
    less = behind;
    behind = std::min(less + step, last);
  }
  return lower_bound(less + 1, behind, value);
}

template class PackedColumn<std::uint32_t>;
template class PackedColumn<std::uint64_t>;

}  // namespace helve::store
