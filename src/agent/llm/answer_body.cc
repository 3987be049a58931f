#include "agent/llm/answer_body.h"

#include <fmt/format.h>

#include "agent/llm/answer_parts.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::llm {

Result<bool> AnswerBody::add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > bytes_max_) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the answer is longer than {}", format_bytes(bytes_max_)),
                 "ask for less, or raise answer_bytes_max"};
  }
  if (kind_ == Kind::Unknown) {
    kept_ += bytes;
    const std::size_t first = kept_.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    if (first == std::string::npos) {
      kept_.clear();  // blanks before an answer may be many
      return false;
    }
    const char c = kept_[first];
    // Fields of events (data, event, id, retry) or a comment.
    const bool is_event = std::string_view(":deir").find(c) != std::string_view::npos;
    kind_ = c == '{' || c == '[' ? Kind::Json : (is_event ? Kind::Events : Kind::Other);
    if (kind_ != Kind::Events) return false;
    const std::string begun = std::move(kept_);
    kept_.clear();
    std::vector<SseEvent> events;
    HELVE_TRY(sse_.add(begun, events));
    HELVE_TRY(hand_on(events));
    return reader_.is_over();
  }
  if (kind_ == Kind::Events) {
    std::vector<SseEvent> events;
    HELVE_TRY(sse_.add(bytes, events));
    HELVE_TRY(hand_on(events));
    return reader_.is_over();
  }
  kept_ += bytes;
  return false;
}

Result<void> AnswerBody::finish() {
  if (kind_ == Kind::Other) return something_else();
  if (kind_ == Kind::Json) {
    if (utf8_valid_prefix(kept_) != kept_.size()) kept_ = repaired_utf8(kept_);
    const auto body = parse_json(kept_);
    if (!body) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("the answer is cut off or no JSON: {}", body.error().message),
                   "try again later"};
    }
    return reader_.add_body(*body);
  }
  if (!reader_.is_over()) {
    std::vector<SseEvent> events;
    HELVE_TRY(sse_.finish(events));
    HELVE_TRY(hand_on(events));
  }
  if (reader_.is_complete()) return {};
  return Error{ErrorCode::Unavailable,
               bytes_ == 0 ? "the answer is empty"
                           : fmt::format("the stream ended in the middle of the answer, after {}",
                                         format_bytes(bytes_)),
               "try again"};
}

Result<void> AnswerBody::hand_on(std::vector<SseEvent>& events) {
  for (const SseEvent& event : events) {
    if (reader_.is_over()) break;
    HELVE_TRY(reader_.add_event(event));
  }
  return {};
}

Error AnswerBody::something_else() const {
  const bool is_page = kept_.find('<') == kept_.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return {ErrorCode::Unavailable,
          fmt::format("{} came instead of an answer: {}", is_page ? "a web page" : "other text",
                      server_words(kept_)),
          "check the address: the base address of a model server, with /v1"};
}

}  // namespace helve::llm
