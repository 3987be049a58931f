// ByteSource and ByteSink: streams of bytes, the common currency of files, pipes, decompression and
// HTTP bodies. Part of the Env seam.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills at most into.size() bytes, at least one unless at the end; 0 means end of input.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> write(std::string_view bytes) = 0;
  // Hands everything written so far to the operating system.
  virtual Result<void> flush() = 0;
};

// Reads from memory it does not own.
class StringSource final : public ByteSource {
 public:
  explicit StringSource(std::string_view text) : rest_(text) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  std::string_view rest_;
};

// Collects what is written.
class StringSink final : public ByteSink {
 public:
  Result<void> write(std::string_view bytes) override {
    text_.append(bytes);
    return {};
  }
  Result<void> flush() override { return {}; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace helve
