#include "toolkit/audit/lines.h"

#include <algorithm>

#include "base/limits.h"
#include "toolkit/audit/chain.h"

namespace helve::toolkit {

namespace {
constexpr std::size_t kPieceBytes = 64 * kKiB;
}

Result<std::optional<AuditLine>> AuditLineReader::next() {
  AuditLine line;
  line.begin = line.end = offset_;
  line.is_complete = false;
  line_.clear();
  while (!line.is_complete) {
    if (at_ == buffer_.size()) {
      if (is_at_end_) break;
      buffer_.resize(kPieceBytes);
      HELVE_ASSIGN(const std::size_t count, source_.read(buffer_));
      buffer_.resize(count);
      at_ = 0;
      is_at_end_ = count == 0;
      continue;
    }
    const std::size_t end = buffer_.find('\n', at_);
    const std::string_view part =
        std::string_view(buffer_).substr(at_, std::min(end, buffer_.size()) - at_);
    line.is_complete = end != std::string::npos;
    line.has_zero = line.has_zero || part.find('\0') != std::string_view::npos;
    line.is_too_long = line.is_too_long || line_.size() + part.size() > kAuditLineBytesMax;
    if (!line.is_too_long) line_ += part;
    const std::size_t taken = part.size() + (line.is_complete ? 1 : 0);
    at_ += taken;
    line.end += taken;
  }
  if (line.end == line.begin) return std::optional<AuditLine>();
  offset_ = line.end;
  line.text = line_;
  return std::optional<AuditLine>(line);
}

}  // namespace helve::toolkit
