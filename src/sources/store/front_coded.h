// Sorted strings, front-coded: in blocks of kBlockStrings, each string is stored as the length it
// shares with the one before it and the rest. Found by binary search over the blocks' first
// strings.
#pragma once

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

  FrontCoded() = default;
  // REQUIRES: made by FrontCodedBuilder.
  FrontCoded(Column<char> bytes, PackedColumn<std::uint64_t> blocks, std::uint64_t size)
      : bytes_(std::move(bytes)), blocks_(std::move(blocks)), size_(size) {}

  std::uint64_t size() const { return size_; }
  std::size_t memory_bytes() const { return bytes_.bytes() + blocks_.bytes(); }

  // Replaces `out` with the string at `index`. REQUIRES: index < size().
  void get(std::uint64_t index, std::string& out) const;

  // The first index whose string is not less than `text` (size() if none).
  std::uint64_t lower_bound(std::string_view text) const;

  // Walks over [first, last) in order; visit(index, string).
  template <typename Visit>
  void for_each(std::uint64_t first, std::uint64_t last, Visit&& visit) const;

 private:
  friend class FrontCodedBuilder;
  std::string_view block_head(std::uint64_t block) const;
  // Reads the next string into `text`, which holds the one before it.
  static const char* next(const char* at, std::string& text);
  static const char* read_length(const char* at, std::size_t& length);

  Column<char> bytes_;
  PackedColumn<std::uint64_t> blocks_;  // where each block starts in bytes_
  std::uint64_t size_ = 0;
};

// Takes strings in ascending order; repeats are allowed.
class FrontCodedBuilder {
 public:
  void reserve(std::uint64_t strings, std::size_t bytes);
  void add(std::string_view text);
  std::size_t memory_bytes() const { return bytes_.capacity() + blocks_.capacity() * 8; }
  FrontCoded finish();

 private:
  void append_length(std::size_t length);

  std::vector<char> bytes_;
  std::vector<std::uint64_t> blocks_;
  std::string last_;
  std::uint64_t size_ = 0;
};

template <typename Visit>
void FrontCoded::for_each(std::uint64_t first, std::uint64_t last, Visit&& visit) const {
  if (first >= last) return;
  std::string text;
  std::uint64_t index = first / kBlockStrings * kBlockStrings;
  const char* at = bytes_.data() + blocks_[first / kBlockStrings];
  for (; index < last; ++index) {
    at = next(at, text);
    if (index >= first) visit(index, std::string_view(text));
  }
}

}  // namespace helve::store
