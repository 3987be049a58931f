// Answers read without a server, for the tests of the dialects.
#pragma once

#include <string>
#include <string_view>

#include "agent/llm/answer_body.h"
#include "agent/llm/wire.h"

namespace helve::llm {

struct ReadAnswer {
  Result<Answer> answer;
  std::string text;       // as it was passed on
  std::string reasoning;  // the same
  bool has_usage = false;
};

// A body as it comes from a server, in pieces of some bytes.
inline ReadAnswer read_body(const Wire& wire, std::string_view body, std::size_t piece = 7) {
  ReadAnswer read{Error{ErrorCode::Internal, "nothing was read"}, {}, {}, false};
  const StreamSink sink{[&](std::string_view text) { read.text += text; },
                        [&](std::string_view text) { read.reasoning += text; }};
  Pieces pieces(&sink);
  const auto reader = wire.reader(pieces);
  AnswerBody bytes(*reader, {std::size_t{1} << 20U, "ask for less"});
  for (std::size_t at = 0; at < body.size(); at += piece) {
    const auto is_over = bytes.add(body.substr(at, piece));
    if (!is_over) {
      read.answer = is_over.error();
      return read;
    }
    if (*is_over) break;
  }
  if (auto finished = bytes.finish(); !finished) {
    read.answer = finished.error();
    return read;
  }
  read.answer = reader->take();
  read.has_usage = reader->has_usage();
  return read;
}

// One event for each text, as servers send them.
inline std::string events(std::initializer_list<std::string_view> data) {
  std::string body;
  for (const std::string_view one : data) body += "data: " + std::string(one) + "\n\n";
  return body;
}

// A conversation with all there can be in one.
inline Request whole_request() {
  Request request;
  request.system = "Be brief.";
  request.tools = {{"find", "Finds things.",
                    *parse_json(R"({"type":"object","properties":{"q":{"type":"string"}}})")}};
  request.messages.push_back({Role::User, "Where?", {}, {}, false, {}});
  Message calls{Role::Assistant, "I look.", {}, {}, false, {}};
  calls.calls.push_back({"a1", "find", *parse_json(R"({"q":"x"})"), R"({"q": "x"})"});
  calls.calls.push_back({"a2", "find", JsonValue(), "{broken"});
  request.messages.push_back(calls);
  request.messages.push_back({Role::Tool, "found x", {}, "a1", false, {}});
  request.messages.push_back({Role::Tool, "no JSON", {}, "a2", true, {}});
  request.messages.push_back({Role::User, "Go on.", {}, {}, false, {}});
  return request;
}

// The conversation up to its message `count`.
inline Request first_messages(Request request, std::size_t count) {
  request.messages.resize(count);
  return request;
}

}  // namespace helve::llm
