// LineReader: lines of a file descriptor, each within a number of bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::mcp {

// Not thread-safe.
class LineReader {
 public:
  LineReader(int descriptor, std::size_t line_bytes_max);

  enum class Kind : std::uint8_t { Line, TooLong, End };
  struct Line {
    Kind kind = Kind::End;
    std::string_view text;  // without its end; until the next call
  };
  // Waits. End also once `is_stopped`, which is looked at from time to time. A line that is too
  // long is passed over. The last line need not have an end.
  Result<Line> next(const std::function<bool()>& is_stopped);

 private:
  // False at the end.
  Result<bool> fill(const std::function<bool()>& is_stopped);

  int descriptor_;
  std::size_t line_bytes_max_;
  std::unique_ptr<char[]> piece_;  // what one read gives
  std::string buffer_;
  std::size_t begin_ = 0;    // of what has not been given out
  std::size_t scanned_ = 0;  // no line end before here
  bool is_ended_ = false;
};

}  // namespace helve::mcp
