// The sliding window. A stream's buffer is compacted only when it is full and doubled only when
// more than half of it is kept, so that the work per byte stays constant.
#include "sources/rdf/input_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/utf8.h"

namespace helve::rdf {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// A character has up to four bytes: smaller windows could not hold one.
constexpr std::size_t kBytesMin = 4;

std::size_t distance(const char* from, const char* to) {
  return static_cast<std::size_t>(to - from);
}

}  // namespace

InputWindow::InputWindow(std::string_view text, std::size_t piece_bytes)
    : whole_begin_(text.data()),
      whole_end_(text.data() + text.size()),
      piece_bytes_(std::max(piece_bytes, kBytesMin)),
      source_ended_(true),
      begin_(text.data()),
      end_(text.data()) {}

InputWindow::InputWindow(ByteSource& source, std::size_t piece_bytes, std::size_t bytes_max)
    : source_(&source),
      piece_bytes_(std::max(piece_bytes, std::size_t{1})),
      bytes_max_(std::max(bytes_max, kBytesMin)) {}

const char* InputWindow::limit() const {
  return source_ == nullptr ? whole_end_ : buffer_.get() + filled_;
}

Result<bool> InputWindow::slide(const char* keep) {
  HELVE_CHECK(begin_ <= keep && keep <= end_);
  begin_ = keep;
  if (at_bad_utf8_) return bad_utf8(limit());
  while (true) {
    if (source_ == nullptr) {
      if (consumed_ != nullptr) {
        consumed_->store(distance(whole_begin_, keep), std::memory_order_relaxed);
      }
      const std::size_t piece = std::min(piece_bytes_, distance(end_, whole_end_));
      if (piece == 0) return false;
      if (check_up_to(end_ + piece, end_ + piece == whole_end_)) return true;
    } else {
      HELVE_ASSIGN(const bool more, fill());
      if (check_up_to(limit(), !more)) return true;
      if (!more && !at_bad_utf8_) return false;
    }
    if (at_bad_utf8_) return bad_utf8(limit());
  }
}

Result<bool> InputWindow::fill() {
  if (source_ended_) return false;
  HELVE_TRY(make_room());
  const std::size_t room = std::min(piece_bytes_, capacity_ - filled_);
  HELVE_ASSIGN(const std::size_t count, source_->read({buffer_.get() + filled_, room}));
  HELVE_CHECK(count <= room);
  filled_ += count;
  source_ended_ = count == 0;
  return !source_ended_;
}

Result<void> InputWindow::make_room() {
  if (filled_ < capacity_) return {};
  const std::size_t kept = buffer_ == nullptr ? 0 : distance(begin_, limit());
  if (kept == bytes_max_) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("more than {} bytes without an end in sight", bytes_max_)};
  }
  const std::size_t checked = distance(begin_, end_);
  if (kept > capacity_ / 2 || buffer_ == nullptr) {
    const std::size_t wanted = std::max({capacity_ * 2, piece_bytes_, kBytesMin});
    capacity_ = std::min(wanted, bytes_max_);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (kept > 0) std::memcpy(larger.get(), begin_, kept);
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), begin_, kept);
  }
  filled_ = kept;
  begin_ = buffer_.get();
  end_ = begin_ + checked;
  return {};
}

bool InputWindow::check_up_to(const char* limit, bool is_last) {
  if (at_start_ && !pass_byte_order_mark(limit, is_last)) return false;
  const std::string_view fresh(end_, distance(end_, limit));
  const std::size_t valid = utf8_valid_prefix(fresh);
  end_ += valid;
  const std::string_view rest = fresh.substr(valid);
  at_bad_utf8_ = !rest.empty() && (is_last || !utf8_may_continue(rest));
  return valid > 0;
}

bool InputWindow::pass_byte_order_mark(const char* limit, bool is_last) {
  const std::string_view text(end_, distance(end_, limit));
  if (text.starts_with(kByteOrderMark)) {
    begin_ = end_ = end_ + kByteOrderMark.size();
  } else if ((kByteOrderMark.starts_with(text) || text == "\xFF" || text == "\xFE") && !is_last) {
    return false;
  }
  is_utf16_ = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  at_start_ = false;
  return true;
}

void InputWindow::skip_bad_byte() {
  HELVE_CHECK(at_bad_utf8_);
  begin_ = end_ = end_ + 1;
  at_bad_utf8_ = false;
}

Error InputWindow::bad_utf8(const char* limit) const {
  const std::string_view rest(end_, distance(end_, limit));
  if (source_ended_ && utf8_may_continue(rest)) {
    return {ErrorCode::InvalidInput, "the document ends in the middle of a UTF-8 character",
            "it may have been cut off"};
  }
  const auto byte = static_cast<unsigned char>(rest.front());
  return {ErrorCode::InvalidInput, fmt::format("invalid UTF-8 (byte 0x{:02X})", byte),
          is_utf16_
              ? "this looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
              : "RDF documents are UTF-8: convert others, e.g. with iconv -f LATIN1 -t UTF-8"};
}

}  // namespace helve::rdf
