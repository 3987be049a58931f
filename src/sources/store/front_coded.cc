// Front coding. Each block starts with a shared length of zero, and blocks follow each other
// without gaps.
#include "sources/store/front_coded.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sources/store/packed_column_builder.h"

namespace helve::store {

inline const char* FrontCoded::read_length(const char* at, std::size_t& length) {
  length = static_cast<unsigned char>(*at);
  if (length < 0x80) [[likely]]
    return at + 1;
  length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    length |= static_cast<std::size_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return at;
  }
}

const char* FrontCoded::next(const char* at, std::string& text) {
  std::size_t shared = 0;
  std::size_t rest = 0;
  at = read_length(at, shared);
  at = read_length(at, rest);
  text.resize(shared);
  text.append(at, rest);
  return at + rest;
}

const char* FrontCoded::block(std::uint64_t index) const {
  // Sixteen empty strings.
  static constexpr std::array<char, 2 * kBlockStrings> kEmptyBlock{};
  if (guard_ != nullptr && !guard_->is_good(index / kChunkBlocks)) return kEmptyBlock.data();
  return bytes_.data() + blocks_[index];
}

bool FrontCoded::is_sound() const {
  if (guard_ == nullptr) return true;
  bool is_sound = blocks_.is_sound();
  for (std::uint64_t i = 0; i < chunks_of(size_); ++i) is_sound = guard_->is_good(i) && is_sound;
  return is_sound;
}

std::string_view FrontCoded::block_head(std::uint64_t index) const {
  std::size_t length = 0;
  const char* at = read_length(block(index), length);  // shared: zero
  at = read_length(at, length);
  return {at, length};
}

// Strings before the wanted one are put together in place: only their bytes move.
void FrontCoded::get(std::uint64_t index, std::string& out) const {
  constexpr std::size_t kRoom = 512;
  constexpr std::size_t kStep = 32;  // copied at once, whatever is needed of it
  std::array<char, kRoom + kStep> text;
  const char* at = block(index / kBlockStrings);
  const char* const end = at < bytes_.begin() || at >= bytes_.end() ? at : bytes_.end();
  std::size_t length = 0;
  for (std::uint64_t i = 0; i <= index % kBlockStrings; ++i) {
    std::size_t shared = 0;
    std::size_t rest = 0;
    const char* const from = read_length(read_length(at, shared), rest);
    if (shared + rest > kRoom) return get_long(index, out);
    if (rest <= kStep && end - from >= static_cast<std::ptrdiff_t>(kStep)) {
      std::memcpy(text.data() + shared, from, kStep);
    } else {
      std::memcpy(text.data() + shared, from, rest);
    }
    length = shared + rest;
    at = from + rest;
  }
  out.assign(text.data(), length);
}

void FrontCoded::get_long(std::uint64_t index, std::string& out) const {
  const char* at = block(index / kBlockStrings);
  out.clear();
  for (std::uint64_t i = 0; i <= index % kBlockStrings; ++i) at = next(at, out);
}

std::uint64_t FrontCoded::lower_bound(std::string_view text) const {
  // The last block whose head is less than the text holds the answer, or the block behind it starts
  // with it.
  std::uint64_t low = 0;
  std::uint64_t high = blocks_.size();
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (block_head(middle) < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return 0;
  const std::uint64_t first = (low - 1) * kBlockStrings;
  const std::uint64_t last = std::min(first + kBlockStrings, size_);
  const char* at = block(low - 1);
  std::string current;
  for (std::uint64_t i = first; i < last; ++i) {
    at = next(at, current);
    if (current >= text) return i;
  }
  return last;
}

void FrontCodedBuilder::reserve(std::uint64_t strings, std::size_t bytes) {
  blocks_.reserve(strings / FrontCoded::kBlockStrings + 1);
  bytes_.reserve(bytes);
}

void FrontCoder::append_length(std::size_t length, std::vector<char>& out) {
  while (length >= 0x80) {
    out.push_back(static_cast<char>(length | 0x80));
    length >>= 7;
  }
  out.push_back(static_cast<char>(length));
}

void FrontCoder::add(std::string_view text, std::vector<char>& out) {
  std::size_t shared = 0;
  if (!is_at_block()) {
    const std::size_t most = std::min(text.size(), last_.size());
    shared = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(most), last_.begin())
            .first -
        text.begin());
  }
  append_length(shared, out);
  append_length(text.size() - shared, out);
  out.insert(out.end(), text.begin() + static_cast<std::ptrdiff_t>(shared), text.end());
  last_.assign(text);
  ++size_;
}

void FrontCodedBuilder::add(std::string_view text) {
  if (coder_.is_at_block()) blocks_.push_back(bytes_.size());
  coder_.add(text, bytes_);
}

FrontCoded FrontCodedBuilder::finish() {
  bytes_.shrink_to_fit();
  return {Column<char>::own(std::move(bytes_)), pack_column<std::uint64_t>(blocks_), coder_.size()};
}

}  // namespace helve::store
