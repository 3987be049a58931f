// Server-sent events, as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html.
// The dialects (chat.h, responses.h, anthropic.h) say what is in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::llm {

struct SseEvent {
  std::string name;  // of "event:"; empty where it has none
  std::string data;  // lines joined by \n; bytes that are not UTF-8 are U+FFFD
};

struct SseLimits {
  std::size_t line_bytes_max = 16 << 20;
  std::size_t event_bytes_max = 16 << 20;  // data of one event
};

// Lines end in \n, \r\n or \r, wherever the pieces are cut. Comments, id and retry are passed over,
// and so are events without data. Not thread-safe.
class SseReader {
 public:
  explicit SseReader(SseLimits limits = {}) : limits_(limits) {}

  // Appends the events that these bytes end. LimitExceeded beyond the limits; nothing is read then.
  Result<void> add(std::string_view bytes, std::vector<SseEvent>& events);
  // The stream is over. An event that no blank line ended is taken: some servers leave it out.
  Result<void> finish(std::vector<SseEvent>& events);

 private:
  Result<void> add_to_line(std::string_view bytes);
  Result<void> end_line(std::vector<SseEvent>& events);
  Result<void> add_field(std::string_view name, std::string_view value);
  void end_event(std::vector<SseEvent>& events);

  SseLimits limits_;
  std::string line_;
  bool is_first_line_ = true;
  bool ends_in_return_ = false;  // a \n that comes next belongs to it
  SseEvent event_;
  bool has_data_ = false;
};

}  // namespace helve::llm
