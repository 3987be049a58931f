#include "agent/sandbox/output_window.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8_repair.h"

namespace helve::sandbox {

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

std::uint64_t OutputWindow::omitted() const { return total_ - head_.size() - tail_.size(); }

std::string OutputWindow::text() const {
  const std::string tail = tail_.substr(tail_at_) + tail_.substr(0, tail_at_);
  if (omitted() == 0) return repaired_utf8(head_ + tail);
  return fmt::format("{}\n... {} bytes omitted ...\n{}", repaired_utf8(head_), omitted(),
                     repaired_utf8(tail));
}

}  // namespace helve::sandbox
