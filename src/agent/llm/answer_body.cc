#include "agent/llm/answer_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "agent/llm/answer_parts.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::llm {

namespace {

constexpr std::string_view kBlank = "\xEF\xBB\xBF \t\r\n";
constexpr std::size_t kBeginningKept = 32 * kKiB;  // of a stream, to tell of it

// Whether a line is one of events: a comment, or a field by its whole name. nullopt: what there is
// of it may become one.
std::optional<bool> begins_event(std::string_view line) {
  constexpr std::array<std::string_view, 4> kFields = {"data", "event", "id", "retry"};
  const std::size_t end = line.find_first_of(":\r\n");
  if (end != std::string_view::npos) {
    return end == 0 ||
           std::find(kFields.begin(), kFields.end(), line.substr(0, end)) != kFields.end();
  }
  const bool may_become =
      std::any_of(kFields.begin(), kFields.end(),
                  [line](std::string_view field) { return field.starts_with(line); });
  return may_become ? std::nullopt : std::optional(false);
}

}  // namespace

Result<bool> AnswerBody::add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > limit_.bytes) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the answer is longer than {}", format_bytes(limit_.bytes)),
                 limit_.hint};
  }
  HELVE_TRY(take(bytes));
  return kind_ == Kind::Events && reader_.is_over();
}

Result<void> AnswerBody::take(std::string_view bytes) {
  if (kind_ == Kind::Events) return take_events(bytes);
  kept_ += bytes;
  if (kind_ != Kind::Unknown) return {};
  const std::size_t first = kept_.find_first_not_of(kBlank);
  if (first == std::string::npos) {
    kept_.clear();  // blanks before an answer may be many
    return {};
  }
  if (kept_[first] == '{' || kept_[first] == '[') {
    kind_ = Kind::Json;
    return {};
  }
  const auto is_event = begins_event(std::string_view(kept_).substr(first));
  if (!is_event) return {};
  kind_ = *is_event ? Kind::Events : Kind::Other;
  if (!*is_event) return {};
  const std::string begun = std::move(kept_);
  kept_.clear();
  return take_events(begun);
}

Result<void> AnswerBody::take_events(std::string_view bytes) {
  if (!has_event_ && kept_.size() < kBeginningKept) {
    kept_ += bytes.substr(0, kBeginningKept - kept_.size());
  }
  std::vector<SseEvent> events;
  HELVE_TRY(sse_.add(bytes, events));
  return hand_on(events);
}

Result<void> AnswerBody::finish() {
  if (kind_ == Kind::Unknown && !kept_.empty()) kind_ = Kind::Other;
  if (kind_ == Kind::Other) return something_else();
  if (kind_ == Kind::Json) {
    if (utf8_valid_prefix(kept_) != kept_.size()) kept_ = repaired_utf8(kept_);
    const auto body = parse_json(kept_);
    if (!body && body.error().code == ErrorCode::LimitExceeded) return too_much_json(body.error());
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
  return unfinished();
}

Result<void> AnswerBody::hand_on(std::vector<SseEvent>& events) {
  if (!events.empty() && !has_event_) {
    has_event_ = true;
    kept_.clear();
  }
  for (const SseEvent& event : events) {
    if (reader_.is_over()) break;
    HELVE_TRY(reader_.add_event(event));
  }
  return {};
}

Error AnswerBody::unfinished() const {
  std::string message = "the answer is empty";
  if (has_event_) {
    message =
        fmt::format("the stream ended in the middle of the answer, after {}", format_bytes(bytes_));
  } else if (!kept_.empty()) {
    message = fmt::format("the stream ended without an event: {}", server_words(kept_));
  }
  return {ErrorCode::Unavailable, std::move(message), "try again"};
}

Error AnswerBody::something_else() const {
  const bool is_page = kept_.find('<') == kept_.find_first_not_of(kBlank);
  return {ErrorCode::Unavailable,
          fmt::format("{} came instead of an answer: {}", is_page ? "a web page" : "other text",
                      server_words(kept_)),
          is_page ? "check the address: the base address of a model server, with /v1"
                  : "do what it says, or check the address: that of a model server, with /v1"};
}

}  // namespace helve::llm
