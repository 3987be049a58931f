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

// Not thread-safe. The reader outlives it.
class AnswerBody {
 public:
  AnswerBody(AnswerReader& reader, std::size_t bytes_max)
      : reader_(reader),
        bytes_max_(bytes_max),
        sse_({.line_bytes_max = bytes_max, .event_bytes_max = bytes_max}) {}

  // True once nothing more is to come. LimitExceeded beyond `bytes_max`.
  Result<bool> add(std::string_view bytes);
  // The server has ended. Unavailable where that is no whole answer.
  Result<void> finish();

  std::uint64_t bytes() const { return bytes_; }
  // Neither JSON nor events, by its beginning.
  bool is_something_else() const { return kind_ == Kind::Other; }

 private:
  enum class Kind : std::uint8_t { Unknown, Json, Events, Other };

  Result<void> hand_on(std::vector<SseEvent>& events);
  Error something_else() const;

  AnswerReader& reader_;
  std::size_t bytes_max_;
  SseReader sse_;
  Kind kind_ = Kind::Unknown;
  std::string kept_;  // JSON, or what nobody knows
  std::uint64_t bytes_ = 0;
};

}  // namespace helve::llm
