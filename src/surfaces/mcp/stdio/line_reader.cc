#include "surfaces/mcp/stdio/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_error.h"
#include "base/limits.h"

namespace helve::mcp {

namespace {

constexpr std::size_t kReadBytes = 64 * kKiB;
constexpr int kStopLookMs = 200;

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

LineReader::LineReader(int descriptor, std::size_t line_bytes_max)
    : descriptor_(descriptor),
      line_bytes_max_(line_bytes_max),
      piece_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

Result<LineReader::Line> LineReader::next(const std::function<bool()>& is_stopped) {
  bool is_too_long = false;
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      const std::string_view line(buffer_.data() + begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      if (is_too_long || line.size() > line_bytes_max_) return Line{Kind::TooLong, {}};
      return Line{Kind::Line, without_return(line)};
    }
    scanned_ = buffer_.size();
    if (buffer_.size() - begin_ > line_bytes_max_) {
      // The rest of it is read and forgotten.
      is_too_long = true;
      buffer_.clear();
      begin_ = scanned_ = 0;
    }
    HELVE_ASSIGN(const bool is_more, fill(is_stopped));
    if (is_more) continue;
    const std::string_view rest(buffer_.data() + begin_, buffer_.size() - begin_);
    begin_ = scanned_ = buffer_.size();
    if (is_too_long) return Line{Kind::TooLong, {}};
    if (rest.empty() || is_stopped()) return Line{};
    return Line{Kind::Line, without_return(rest)};
  }
}

Result<bool> LineReader::fill(const std::function<bool()>& is_stopped) {
  if (is_ended_) return false;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  while (true) {
    if (is_stopped()) {
      is_ended_ = true;
      return false;
    }
    pollfd wait{descriptor_, POLLIN, 0};
    const int ready = ::poll(&wait, 1, kStopLookMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(descriptor_, piece_.get(), kReadBytes);
    if (count > 0) {
      buffer_.append(piece_.get(), static_cast<std::size_t>(count));
      return true;
    }
    if (count == 0) {
      is_ended_ = true;
      return false;
    }
    if (errno != EINTR && errno != EAGAIN) {
      return error_from_errno(errno, "read", "standard input");
    }
  }
}

}  // namespace helve::mcp
