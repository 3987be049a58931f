#include "toolkit/leakage/leakage.h"

#include <algorithm>

namespace helve::toolkit {

void LeakageMeter::add(std::string_view tool, std::uint64_t reply_chars, std::uint64_t stored_chars,
                       bool is_error) {
  const std::lock_guard lock(mutex_);
  auto found = lines_.find(tool);
  if (found == lines_.end()) {
    found = lines_.emplace(tool, LeakageLine{}).first;
    found->second.tool = tool;
  }
  LeakageLine& line = found->second;
  ++line.calls;
  if (is_error) ++line.errors;
  line.reply_chars += reply_chars;
  line.reply_chars_max = std::max(line.reply_chars_max, reply_chars);
  line.stored_chars += stored_chars;
}

LeakageReport LeakageMeter::report() const {
  const std::lock_guard lock(mutex_);
  LeakageReport report;
  report.total.tool = "all";
  for (const auto& [name, line] : lines_) {
    report.tools.push_back(line);
    report.total.calls += line.calls;
    report.total.errors += line.errors;
    report.total.reply_chars += line.reply_chars;
    report.total.reply_chars_max = std::max(report.total.reply_chars_max, line.reply_chars_max);
    report.total.stored_chars += line.stored_chars;
  }
  return report;
}

std::uint64_t RepeatGuard::note(std::string_view call_hash, std::string_view reply_hash) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t now = ++counter_;
  auto found = seen_.find(call_hash);
  if (found == seen_.end()) {
    if (seen_.size() >= kRemembered) {
      seen_.erase(std::min_element(seen_.begin(), seen_.end(), [](const auto& a, const auto& b) {
        return a.second.last < b.second.last;
      }));
    }
    found = seen_.emplace(call_hash, Seen{}).first;
  }
  Seen& seen = found->second;
  const std::uint64_t before = seen.reply_hash == reply_hash ? seen.times : 0;
  seen = {std::string(reply_hash), before + 1, now};
  return before;
}

}  // namespace helve::toolkit
