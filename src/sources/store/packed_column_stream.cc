#include "sources/store/packed_column_stream.h"

#include <algorithm>
#include <utility>

#include "sources/store/packed_column_builder.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

template <typename Value>
Result<void> PackedColumnStream<Value>::add(std::span<const Value> values) {
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), block_.size() - held_);
    std::copy_n(values.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(held_));
    held_ += count;
    values = values.subspan(count);
    if (held_ == block_.size()) HELVE_TRY(pack());
  }
  return {};
}

template <typename Value>
Result<void> PackedColumnStream<Value>::add_header(Value least) {
  const PackedHeader<Value> header{
      least, static_cast<Value>(data_.size() / PackedColumn<Value>::kUnitBytes)};
  return headers_.append(bytes_of(&header, 1));
}

template <typename Value>
Result<void> PackedColumnStream<Value>::pack() {
  PackedWords words;
  const auto shape = pack_block(std::span<const Value>(block_.data(), held_), words);
  HELVE_TRY(add_header(shape.least));
  packed_ += held_;
  held_ = 0;
  return data_.append(
      {reinterpret_cast<const char*>(words.data()), shape.width * PackedColumn<Value>::kUnitBytes});
}

template <typename Value>
Result<PackedColumn<Value>> PackedColumnStream<Value>::finish() {
  if (held_ > 0) HELVE_TRY(pack());
  if (packed_ == 0) return PackedColumn<Value>();
  HELVE_TRY(add_header(0));
  constexpr std::array<char, PackedColumn<Value>::kUnitBytes> kZeroes{};
  HELVE_TRY(data_.append({kZeroes.data(), kZeroes.size()}));
  HELVE_ASSIGN(auto headers, headers_.template finish<PackedHeader<Value>>());
  HELVE_ASSIGN(auto data, data_.template finish<char>());
  return PackedColumn<Value>(std::move(headers), std::move(data), packed_);
}

template class PackedColumnStream<std::uint32_t>;
template class PackedColumnStream<std::uint64_t>;

}  // namespace helve::store
