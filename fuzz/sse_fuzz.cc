// Streams of models: events are the same however the bytes are cut, and every dialect reads or
// refuses whatever they say.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/answer_body.h"
#include "agent/llm/answer_parts.h"
#include "agent/llm/anthropic.h"
#include "agent/llm/chat.h"
#include "agent/llm/responses.h"
#include "agent/llm/sse.h"
#include "base/check.h"
#include "base/utf8.h"

namespace {

using helve::llm::SseEvent;

constexpr std::size_t kEventMax = 4'096;
constexpr std::size_t kAnswerMax = 64UL * 1024;

// Empty where a limit was met.
std::vector<SseEvent> events_of(std::string_view text, std::size_t piece) {
  helve::llm::SseReader reader({.line_bytes_max = kEventMax, .event_bytes_max = kEventMax});
  std::vector<SseEvent> events;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (!reader.add(text.substr(at, piece), events)) return {};
  }
  if (!reader.finish(events)) return {};
  return events;
}

void check_events(std::string_view text, std::size_t piece) {
  const auto whole = events_of(text, text.size() + 1);
  const auto cut = events_of(text, piece);
  HELVE_CHECK(whole.size() == cut.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    HELVE_CHECK(whole[i].name == cut[i].name && whole[i].data == cut[i].data);
    HELVE_CHECK(helve::utf8_valid_prefix(whole[i].data) == whole[i].data.size());
    HELVE_CHECK(whole[i].data.size() <= 3 * kEventMax);  // a byte may become U+FFFD
  }
}

void check_answer(const helve::llm::Wire& wire, std::string_view text, std::size_t piece) {
  std::string heard;
  const helve::llm::StreamSink sink{[&](std::string_view more) { heard += more; }, {}};
  helve::llm::Pieces pieces(&sink);
  const auto reader = wire.reader(pieces);
  helve::llm::AnswerBody body(*reader, {kAnswerMax, {}});
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto is_over = body.add(text.substr(at, piece));
    if (!is_over) return;
    if (*is_over) break;
  }
  if (!body.finish()) return;
  auto answer = reader->take();
  helve::llm::Request request;
  helve::llm::name_calls(answer.calls, request);
  HELVE_CHECK(answer.calls.size() <= helve::llm::kCallsMax);
  for (const auto& call : answer.calls) {
    HELVE_CHECK(!call.id.empty());
    HELVE_CHECK(call.arguments.is_null() || call.arguments.if_object() != nullptr);
  }
  // What came can go back.
  request.messages.push_back(
      {helve::llm::Role::Assistant, answer.text, answer.calls, {}, false, answer.opaque});
  HELVE_CHECK(helve::parse_json(wire.body(request, {"m", false, true})).has_value());
}

}  // namespace

// The first byte says how the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] % 16U + 1U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_events(text, piece);
  for (const helve::llm::Wire* wire :
       {&helve::llm::chat_wire(), &helve::llm::responses_wire(), &helve::llm::anthropic_wire()}) {
    check_answer(*wire, text, piece);
  }
  return 0;
}
