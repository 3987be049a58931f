// Sorted strings, front-coded: in blocks of kBlockStrings, each string is stored as the length it
// shares with the one before it and the rest. Found by binary search over the blocks' first
// strings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/store/column.h"
#include "sources/store/packed_column.h"

namespace helve::store {

class FrontCoded {
 public:
  static constexpr std::uint64_t kBlockStrings = 16;
  static constexpr std::uint64_t kChunkBlocks = 4;  // what a guard checks at once

  FrontCoded() = default;
  // REQUIRES: made by FrontCodedBuilder, or that the guard, which must live as long as the owner of
  // the bytes, vouches for it. What it finds damaged reads as empty strings.
  FrontCoded(Column<char> bytes, PackedColumn<std::uint64_t> blocks, std::uint64_t size,
             const ChunkGuard* guard = nullptr)
      : bytes_(std::move(bytes)), blocks_(std::move(blocks)), size_(size), guard_(guard) {}

  std::uint64_t size() const { return size_; }
  std::size_t memory_bytes() const { return bytes_.bytes() + blocks_.bytes(); }

  // As it is stored: the strings, and where each block starts in them.
  const Column<char>& bytes() const { return bytes_; }
  const PackedColumn<std::uint64_t>& blocks() const { return blocks_; }
  static constexpr std::uint64_t blocks_of(std::uint64_t strings) {
    return (strings + kBlockStrings - 1) / kBlockStrings;
  }
  static constexpr std::uint64_t chunks_of(std::uint64_t strings) {
    return (blocks_of(strings) + kChunkBlocks - 1) / kChunkBlocks;
  }
  // Has everything checked.
  bool is_sound() const;

  // Replaces `out` with the string at `index`. REQUIRES: index < size().
  void get(std::uint64_t index, std::string& out) const;

  // The first index whose string is not less than `text` (size() if none).
  std::uint64_t lower_bound(std::string_view text) const;

  // The first string of a block, where it lies. REQUIRES: index < blocks_of(size()).
  std::string_view block_head(std::uint64_t index) const;

  // Walks over [first, last) in order; visit(index, string).
  template <typename Visit>
  void for_each(std::uint64_t first, std::uint64_t last, Visit&& visit) const;

 private:
  friend class FrontCodedBuilder;
  void get_long(std::uint64_t index, std::string& out) const;
  const char* block(std::uint64_t index) const;
  // Reads the next string into `text`, which holds the one before it.
  static const char* next(const char* at, std::string& text);
  static const char* read_length(const char* at, std::size_t& length);

  Column<char> bytes_;
  PackedColumn<std::uint64_t> blocks_;  // where each block starts in bytes_
  std::uint64_t size_ = 0;
  const ChunkGuard* guard_ = nullptr;
};

// Codes strings that come in ascending order; repeats are allowed.
class FrontCoder {
 public:
  // Appends the coded string.
  void add(std::string_view text, std::vector<char>& out);
  // True when the next string starts a block.
  bool is_at_block() const { return size_ % FrontCoded::kBlockStrings == 0; }
  std::uint64_t size() const { return size_; }

 private:
  static void append_length(std::size_t length, std::vector<char>& out);

  std::string last_;
  std::uint64_t size_ = 0;
};

// The same in memory. front_coded_stream.h does it for what does not fit there.
class FrontCodedBuilder {
 public:
  void reserve(std::uint64_t strings, std::size_t bytes);
  void add(std::string_view text);
  std::size_t memory_bytes() const { return bytes_.capacity() + blocks_.capacity() * 8; }
  FrontCoded finish();

 private:
  FrontCoder coder_;
  std::vector<char> bytes_;
  std::vector<std::uint64_t> blocks_;
};

template <typename Visit>
void FrontCoded::for_each(std::uint64_t first, std::uint64_t last, Visit&& visit) const {
  std::string text;
  while (first < last) {
    std::uint64_t index = first / kBlockStrings * kBlockStrings;
    const std::uint64_t block_end = std::min(index + kBlockStrings, last);
    const char* at = block(index / kBlockStrings);
    for (; index < block_end; ++index) {
      at = next(at, text);
      if (index >= first) visit(index, std::string_view(text));
    }
    first = block_end;
  }
}

}  // namespace helve::store
