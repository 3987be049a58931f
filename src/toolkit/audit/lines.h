// Lines of a stream, in memory that is bounded whatever comes; and a SharedFile as a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/shared_file.h"

namespace helve::toolkit {

struct AuditLine {
  std::string_view text;  // without the line end, and without what is too long; until the next line
  std::uint64_t begin = 0;  // offset in the stream
  std::uint64_t end = 0;    // behind the line end
  bool is_complete = true;  // false: the stream ends before the line does
  bool is_too_long = false;
  bool has_zero = false;  // a byte that no record has
};

// Not thread-safe.
class AuditLineReader {
 public:
  explicit AuditLineReader(ByteSource& source, std::uint64_t offset = 0)
      : source_(source), offset_(offset) {}
  // nullopt at the end.
  Result<std::optional<AuditLine>> next();

 private:
  ByteSource& source_;
  std::uint64_t offset_;  // of what is next in the buffer
  std::string buffer_;
  std::size_t at_ = 0;
  std::string line_;
  bool is_at_end_ = false;
};

// From `offset` to the end. The file must outlive it.
class SharedFileSource final : public ByteSource {
 public:
  SharedFileSource(SharedFile& file, std::uint64_t offset) : file_(file), offset_(offset) {}
  Result<std::size_t> read(std::span<char> into) override {
    HELVE_ASSIGN(const std::size_t count, file_.read_at(offset_, into));
    offset_ += count;
    return count;
  }

 private:
  SharedFile& file_;
  std::uint64_t offset_;
};

}  // namespace helve::toolkit
