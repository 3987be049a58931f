// Provider: the seam between agent loops and models. One conversation in, one answer out, streamed
// or not. Implementations: chat.h (Chat Completions and what is compatible with it), responses.h,
// anthropic.h, scripted.h; the MCP server has one that asks the client's own model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve::llm {

enum class Role : std::uint8_t { User, Assistant, Tool };

// A call that a model wants made. Arguments are hostile until bound.
struct ToolUse {
  std::string id;  // made up where the server gave none
  std::string name;
  JsonValue arguments;  // an object; null where what the model wrote is none
  std::string written;  // the arguments as they came
};

// Something of an answer that has to go back as it came (signed reasoning, items of Responses),
// kept by the provider that made it and passed over by others.
struct Opaque {
  std::string kind;  // "anthropic", "responses"
  JsonValue content;
};

struct Message {
  Role role = Role::User;
  std::string text;
  std::vector<ToolUse> calls;  // of Assistant
  std::string call_id;         // of Tool: the call that it answers
  bool is_error = false;       // of Tool
  std::vector<Opaque> opaque;  // of Assistant
};

struct ToolDeclaration {
  std::string name;
  std::string description;
  JsonValue input_schema;  // JSON Schema of an object
};

// The same request gives the same bytes on the wire, and a longer conversation begins with the
// bytes of a shorter one: servers cache prefixes.
struct Request {
  std::string system;
  std::vector<Message> messages;
  std::vector<ToolDeclaration> tools;
  std::size_t output_tokens_max = 4'096;
  std::optional<double> temperature;
};

// Normalised: input_tokens has all that was read, cached or not.
struct Usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t cached_tokens = 0;       // of input_tokens, read from a cache
  std::uint64_t cache_write_tokens = 0;  // of input_tokens, written into one
  std::uint64_t output_tokens = 0;
  std::optional<double> cost;  // in the currency of the prices; nullopt: no prices known
  bool is_estimated = false;   // the server told nothing: characters / 4

  Usage& operator+=(const Usage& other);
};

enum class Stop : std::uint8_t { EndTurn, ToolCalls, OutputCap, Refusal, Other };
std::string_view name_of(Stop stop);  // "end_turn"

struct Answer {
  std::string text;
  std::string reasoning;  // what the model shows of it
  std::vector<ToolUse> calls;
  std::vector<Opaque> opaque;
  Stop stop = Stop::EndTurn;
  Usage usage;
  std::string model;  // as the server names it
  unsigned retries = 0;
};

// Pieces as they come. Once one was passed on, nothing is tried again.
struct StreamSink {
  std::function<void(std::string_view text)> on_text;
  std::function<void(std::string_view reasoning)> on_reasoning;
};

// Thread-safe: several loops may share one.
class Provider {
 public:
  virtual ~Provider() = default;
  // Unavailable (no connection, an overloaded server, after retries), Denied (keys, refused by the
  // server), InvalidInput (a request that it does not take), LimitExceeded (deadline, too long an
  // answer, quota), Cancelled. Errors name the host, the status and what the server said, and never
  // the key. With a sink the answer is streamed.
  virtual Result<Answer> complete(const Request& request, const OpContext& context,
                                  const StreamSink* sink = nullptr) = 0;
  // Whether its answers can tell what they cost. False: no limit on cost can be kept with it.
  virtual bool tells_cost() const { return true; }
  // What so much would cost, by its prices: of what was used where no answer tells it. nullopt: it
  // has none.
  virtual std::optional<double> cost_of(const Usage& /*usage*/) const { return std::nullopt; }
  virtual std::string name() const = 0;  // "chat"
  virtual std::string model() const = 0;
};

}  // namespace helve::llm
