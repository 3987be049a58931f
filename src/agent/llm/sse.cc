#include "agent/llm/sse.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::llm {

Result<void> SseReader::add(std::string_view bytes, std::vector<SseEvent>& events) {
  while (!bytes.empty()) {
    if (ends_in_return_) {
      ends_in_return_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    HELVE_TRY(add_to_line(bytes.substr(0, end)));
    if (end == std::string_view::npos) return {};
    ends_in_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    HELVE_TRY(end_line(events));
  }
  return {};
}

Result<void> SseReader::finish(std::vector<SseEvent>& events) {
  if (!line_.empty()) HELVE_TRY(end_line(events));
  end_event(events);
  return {};
}

Result<void> SseReader::add_to_line(std::string_view bytes) {
  if (bytes.size() > limits_.line_bytes_max - line_.size()) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("a line of the event stream is longer than {}",
                             format_bytes(limits_.line_bytes_max))};
  }
  line_ += bytes;
  return {};
}

Result<void> SseReader::end_line(std::vector<SseEvent>& events) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string taken = std::move(line_);
  line_.clear();
  std::string_view line = taken;
  if (is_first_line_ && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  is_first_line_ = false;
  if (line.empty()) {
    end_event(events);
    return {};
  }
  const std::size_t colon = line.find(':');
  std::string_view value;
  if (colon != std::string_view::npos) value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return add_field(line.substr(0, colon), value);
}

Result<void> SseReader::add_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    event_.name = value;
    return {};
  }
  if (name != "data") return {};
  if (value.size() + 1 > limits_.event_bytes_max - event_.data.size()) {
    return Error{ErrorCode::LimitExceeded, fmt::format("an event of the stream is longer than {}",
                                                       format_bytes(limits_.event_bytes_max))};
  }
  if (has_data_) event_.data += '\n';
  event_.data += value;
  has_data_ = true;
  return {};
}

void SseReader::end_event(std::vector<SseEvent>& events) {
  if (has_data_) {
    if (utf8_valid_prefix(event_.data) != event_.data.size()) {
      event_.data = repaired_utf8(event_.data);
    }
    events.push_back(std::move(event_));
  }
  event_ = {};
  has_data_ = false;
}

}  // namespace helve::llm
