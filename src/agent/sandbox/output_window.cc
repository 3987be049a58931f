#include "agent/sandbox/output_window.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::sandbox {

namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

void OutputWindow::add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t to_head = std::min(bytes.size(), half_ - head_.size());
  head_ += bytes.substr(0, to_head);
  bytes.remove_prefix(to_head);
  if (bytes.size() > half_) bytes.remove_prefix(bytes.size() - half_);
  const std::size_t to_tail = std::min(bytes.size(), half_ - tail_.size());
  tail_ += bytes.substr(0, to_tail);
  bytes.remove_prefix(to_tail);
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), tail_.size() - tail_at_);
    tail_.replace(tail_at_, count, bytes.substr(0, count));
    tail_at_ = (tail_at_ + count) % tail_.size();
    bytes.remove_prefix(count);
  }
}

OutputWindow::Parts OutputWindow::parts() const {
  Parts parts = {head_, tail_.substr(tail_at_) + tail_.substr(0, tail_at_)};
  if (total_ == head_.size() + tail_.size()) return parts;
  // A character that stands across a cut is left out with the rest.
  const std::size_t whole = utf8_valid_prefix(parts.head);
  if (utf8_may_continue(std::string_view(parts.head).substr(whole))) parts.head.resize(whole);
  std::size_t rest = 0;
  while (rest < std::min<std::size_t>(parts.tail.size(), 3) && is_continuation(parts.tail[rest])) {
    ++rest;
  }
  parts.tail.erase(0, rest);
  return parts;
}

std::uint64_t OutputWindow::omitted() const {
  const Parts shown = parts();
  return total_ - shown.head.size() - shown.tail.size();
}

std::string OutputWindow::text() const {
  const Parts shown = parts();
  const std::uint64_t left_out = total_ - shown.head.size() - shown.tail.size();
  if (left_out == 0) return repaired_utf8(shown.head + shown.tail);
  return fmt::format("{}\n... {} bytes omitted ...\n{}", repaired_utf8(shown.head), left_out,
                     repaired_utf8(shown.tail));
}

}  // namespace helve::sandbox
