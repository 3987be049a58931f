// Wire: how one dialect writes requests and reads answers. Each of chat.h, responses.h and
// anthropic.h is one; model_http.h sends and receives for all of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/llm/pieces.h"
#include "agent/llm/provider.h"
#include "agent/llm/sse.h"
#include "base/http.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::llm {

// One answer as it comes, whole or in events. What servers send is hostile: everything may be
// missing or of another type. Errors are those of Provider, without the host.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  virtual Result<void> add_body(const JsonValue& body) = 0;
  virtual Result<void> add_event(const SseEvent& event) = 0;
  // Nothing more is to come.
  virtual bool is_over() const = 0;
  // What came is a whole answer, even if the server says no more.
  virtual bool is_complete() const = 0;
  // REQUIRES: is_complete(). Calls may lack ids.
  virtual Answer take() = 0;
  // Whether the server has told the usage.
  virtual bool has_usage() const = 0;
};

struct WireModel {
  std::string name;
  bool is_own_service = false;  // that the dialect comes from
  bool is_streamed = false;
};

// Stateless, and so thread-safe.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual std::string_view name() const = 0;         // "chat"
  virtual std::string_view service_url() const = 0;  // base address of the dialect's own service
  virtual std::string_view path() const = 0;         // "/chat/completions"
  virtual HttpHeaders headers() const = 0;
  virtual std::pair<std::string, std::string> credential(const std::string& key) const = 0;
  // Messages come last: a longer conversation begins with the bytes of a shorter one.
  virtual std::string body(const Request& request, const WireModel& model) const = 0;
  virtual std::unique_ptr<AnswerReader> reader(Pieces& pieces) const = 0;
};

}  // namespace helve::llm
