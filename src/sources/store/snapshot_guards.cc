// Order matters: places are looked at before the checksum of what they point to, and values only
// when that is right.
#include "sources/store/snapshot_guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/utf8.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

Error damaged_snapshot(const std::string& file, const std::string& what) {
  return {ErrorCode::Unavailable, fmt::format("the index {} is damaged: {}", file, what),
          "restore the folder from a copy, or make it again with 'helve load'"};
}

void SectionPlace::report(std::uint64_t at, const char* what) const {
  damage->report(damaged_snapshot(
      file, fmt::format("{} in section '{}' at byte {}", what, section, offset + at)));
}

template <typename Value>
std::uint64_t ColumnGuard<Value>::header_offset(std::uint64_t block) const {
  return ChunkSums::all_bytes(Packed::chunks_of(column_.size())) +
         block * sizeof(PackedHeader<Value>);
}

template <typename Value>
bool ColumnGuard<Value>::has_sound_places(std::uint64_t first, std::uint64_t last) const {
  const auto* const headers = column_.headers().data();
  const std::uint64_t units = column_.data().size() / Packed::kUnitBytes - 1;
  if (headers[last].place > units) return false;
  if (first == 0 && headers[0].place != 0) return false;
  if (last == Packed::blocks_of(column_.size()) && headers[last].place != units) return false;
  for (std::uint64_t i = first; i < last; ++i) {
    const Value width = headers[i + 1].place - headers[i].place;
    if (width > Packed::kWidthMax && width != Packed::kFullWidth) return false;
    if (headers[i].place > headers[i + 1].place) return false;
  }
  return true;
}

template <typename Value>
bool ColumnGuard<Value>::has_valid_values(std::uint64_t block) const {
  const PackedBlock<Value> packed = column_.block(block);
  const bool cannot_exceed = packed.least >= bounds_.least && packed.least <= bounds_.most &&
                             packed.mask <= bounds_.most - packed.least;
  if (cannot_exceed && bounds_.is_valid == nullptr) return true;
  std::array<Value, Packed::kBlockValues> values;
  const std::uint64_t first = block * Packed::kBlockValues;
  const std::uint64_t last = std::min(first + Packed::kBlockValues, column_.size());
  column_.read(first, last, values.data());
  return std::all_of(values.begin(), values.begin() + (last - first), [this](Value value) {
    return value >= bounds_.least && value <= bounds_.most &&
           (bounds_.is_valid == nullptr || bounds_.is_valid(value));
  });
}

template <typename Value>
bool ColumnGuard<Value>::check(std::size_t chunk) const {
  const std::uint64_t first = chunk * Packed::kChunkBlocks;
  const std::uint64_t last =
      std::min(first + Packed::kChunkBlocks, Packed::blocks_of(column_.size()));
  if (!has_sound_places(first, last)) {
    place_.report(header_offset(first), "wrong places of blocks");
    return false;
  }
  if (chunk_checksum(column_, chunk) != sums_.at(chunk)) {
    place_.report(header_offset(first), "a wrong checksum");
    return false;
  }
  for (std::uint64_t block = first; block < last; ++block) {
    if (has_valid_values(block)) continue;
    place_.report(header_offset(block), "a value out of range");
    return false;
  }
  return true;
}

template class ColumnGuard<std::uint32_t>;
template class ColumnGuard<std::uint64_t>;

namespace {

// A length as FrontCoded reads it, if it ends within the text.
std::optional<std::uint64_t> take_length(std::string_view& text) {
  std::uint64_t length = 0;
  for (int shift = 0; shift < 63 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    length |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return length;
  }
  return std::nullopt;
}

// Takes the strings of one block; false when one shares more than there is, has no end or is no
// UTF-8, which everything that works on terms relies on.
bool take_block(std::string_view& text, std::uint64_t strings, std::string& scratch) {
  scratch.clear();
  for (std::uint64_t i = 0; i < strings; ++i) {
    const auto shared = take_length(text);
    const auto rest = shared ? take_length(text) : std::nullopt;
    if (!rest || *shared > scratch.size() || *rest > text.size()) return false;
    scratch.resize(*shared);
    scratch.append(text.substr(0, *rest));
    text.remove_prefix(*rest);
    if (utf8_valid_prefix(scratch) != scratch.size()) return false;
  }
  return true;
}

}  // namespace

bool StringsGuard::has_sound_strings(std::uint64_t chunk) const {
  std::string scratch;
  std::string_view text = chunk_text(strings_, chunk);
  const std::uint64_t first = chunk * FrontCoded::kChunkBlocks;
  const std::uint64_t last =
      std::min(first + FrontCoded::kChunkBlocks, FrontCoded::blocks_of(strings_.size()));
  for (std::uint64_t block = first; block < last; ++block) {
    if (strings_.bytes().data() + strings_.blocks()[block] != text.data()) return false;
    const std::uint64_t index = block * FrontCoded::kBlockStrings;
    const std::uint64_t strings = std::min(FrontCoded::kBlockStrings, strings_.size() - index);
    if (!take_block(text, strings, scratch)) return false;
  }
  return text.empty();
}

bool StringsGuard::check(std::size_t chunk) const {
  const std::uint64_t sums_bytes = ChunkSums::all_bytes(FrontCoded::chunks_of(strings_.size()));
  const std::uint64_t first = chunk * FrontCoded::kChunkBlocks;
  const std::uint64_t last = first + FrontCoded::kChunkBlocks;
  const auto& blocks = strings_.blocks();
  const std::uint64_t from = blocks[first];
  const std::uint64_t to = last < blocks.size() ? blocks[last] : strings_.bytes().size();
  if (from > to || to > strings_.bytes().size() || (first == 0 && from != 0)) {
    place_.report(sums_bytes, "wrong places of strings");
    return false;
  }
  if (chunk_checksum(strings_, chunk) != sums_.at(chunk)) {
    place_.report(sums_bytes + from, "a wrong checksum");
    return false;
  }
  if (!has_sound_strings(chunk)) {
    place_.report(sums_bytes + from, "strings that cannot be");
    return false;
  }
  return true;
}

}  // namespace helve::store
