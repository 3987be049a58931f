// AnswerBody: the bytes of one answer, whatever the server calls them: JSON or events by what they
// begin with, for content types lie. Between model_http.h and the dialects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/sse.h"
#include "agent/llm/wire.h"
#include "base/result.h"

namespace helve::llm {

// Of one answer, with what to say of it where it strikes.
struct AnswerLimit {
  std::size_t bytes = 0;
  std::string hint;
};

// Not thread-safe. The reader outlives it.
class AnswerBody {
 public:
  AnswerBody(AnswerReader& reader, AnswerLimit limit)
      : reader_(reader),
        limit_(std::move(limit)),
        sse_({.line_bytes_max = limit_.bytes, .event_bytes_max = limit_.bytes}) {}

  // True once nothing more is to come. LimitExceeded beyond the limit.
  Result<bool> add(std::string_view bytes);
  // The server has ended. Unavailable where that is no whole answer.
  Result<void> finish();

  std::uint64_t bytes() const { return bytes_; }
  // Neither JSON nor events, by its beginning.
  bool is_something_else() const { return kind_ == Kind::Other; }

 private:
  enum class Kind : std::uint8_t { Unknown, Json, Events, Other };

  Result<void> take(std::string_view bytes);
  Result<void> take_events(std::string_view bytes);
  Result<void> hand_on(std::vector<SseEvent>& events);
  Error unfinished() const;
  Error something_else() const;

  AnswerReader& reader_;
  AnswerLimit limit_;
  SseReader sse_;
  Kind kind_ = Kind::Unknown;
  std::string kept_;  // JSON, what nobody knows, or the beginning of a stream without events
  bool has_event_ = false;
  std::uint64_t bytes_ = 0;
};

}  // namespace helve::llm
