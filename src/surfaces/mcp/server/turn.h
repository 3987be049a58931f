// Turn: what a feature sees of the request it answers: who asks, what the client can, and the ways
// back to it while the work goes on. Offers (offer.h) get one with every call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/op_context.h"
#include "surfaces/mcp/server/revision.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

enum class LogLevel : std::uint8_t {
  Debug,
  Info,
  Notice,
  Warning,
  Error,
  Critical,
  Alert,
  Emergency
};
std::string_view name_of(LogLevel level);  // "debug"
std::optional<LogLevel> find_log_level(std::string_view name);

// Something that only the client can give: its user's word (elicitation/create), a text of its
// model (sampling/createMessage), its folders (roots/list).
struct InputRequest {
  std::string key;  // names the answer
  std::string method;
  JsonValue params;  // an object
};

// By key: the results that the client gave.
using InputAnswers = std::vector<std::pair<std::string, JsonValue>>;

// Why there is no answer of the client.
struct AskFailure {
  std::string message;
  bool is_refusal = false;  // it answered, with an error
};

class Turn {
 public:
  virtual ~Turn() = default;
  virtual const toolkit::Caller& caller() const = 0;
  virtual Revision revision() const = 0;
  virtual const OpContext& op() const = 0;  // cancelled when the client cancels or goes
  // Whether the client has declared it: "sampling", "elicitation", "roots"; "elicitation.url" is
  // the part of one.
  virtual bool can(std::string_view capability) const = 0;

  // Nothing unless the client asked for progress. What does not increase is not sent.
  virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
  // Nothing unless the client wants messages of that level. `data` is a text of JSON.
  virtual void log(LogLevel level, std::string_view logger, std::string_view data) = 0;

  // A call of a tool that exists, for the counters.
  virtual void note_tool(std::string_view tool, bool is_error, Duration took) {
    static_cast<void>(tool);
    static_cast<void>(is_error);
    static_cast<void>(took);
  }

  // Asks the client. Before 2026-07-28 this waits for its answers. From then on the call ends and
  // comes again with them: nullopt, and the caller returns at once with any result, which is not
  // sent. `state` is kept for that next time. nullopt also where the client cannot be asked.
  // Answers have one entry for every request, and are results of the right method, unchecked
  // beyond being objects.
  virtual std::optional<InputAnswers> ask(std::vector<InputRequest> requests,
                                          std::string state) = 0;
  // Why ask() had no answers, where none will come; nullopt: the client is asked, and the call
  // comes again. Once taken, the call goes on, and its result is sent.
  virtual std::optional<AskFailure> take_failure() { return std::nullopt; }
  // What ask() was given the last time, in a call that has come again; empty otherwise. Nobody
  // else can have made it.
  virtual const std::string& state() const = 0;
  // Answers that came with the call, whether or not they were asked for.
  virtual const JsonValue* answer(std::string_view key) const = 0;
};

}  // namespace helve::mcp
