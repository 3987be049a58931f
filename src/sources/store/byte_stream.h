// Numbers and texts in a row of bytes: the small sections of a snapshot on disk.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace helve::store {

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void bytes(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void text(std::string_view value) { bytes(value); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, or anything: behind the end all is zero, and is_good() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool is_good() const { return is_good_; }
  // Nothing missing and nothing left over.
  bool is_done() const { return is_good_ && rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof(value));
    if (is_good_) std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string_view bytes() { return take(number()); }
  // The same, of UTF-8.
  std::string_view text() {
    const std::string_view taken = bytes();
    if (utf8_valid_prefix(taken) == taken.size()) return taken;
    is_good_ = false;
    return {};
  }
  // How many elements of at least `element_bytes` follow; a number that cannot be is bad.
  std::uint64_t count(std::uint64_t element_bytes) {
    const std::uint64_t value = number();
    if (value <= rest_.size() / element_bytes) return value;
    is_good_ = false;
    return 0;
  }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) is_good_ = false;
    if (!is_good_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace helve::store
