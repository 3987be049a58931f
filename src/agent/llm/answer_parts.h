// What the dialects have in common: reading JSON that may be anything, calls, errors, estimates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/llm/sse.h"
#include "base/json.h"
#include "base/result.h"

namespace helve::llm {

// Of one answer; more are an attack.
inline constexpr std::size_t kCallsMax = 128;

// Empty where there is no such text; `value` may be null.
std::string_view text_at(const JsonValue* value, std::string_view key);
// Null where there is none; `value` may be null.
const JsonValue* member_of(const JsonValue* value, std::string_view key);
const JsonValue::Array* array_at(const JsonValue* value, std::string_view key);
std::uint64_t count_at(const JsonValue* value, std::string_view key);  // 0 where there is none

// A call of what came: no arguments at all are an empty object.
ToolUse make_call(std::string id, std::string name, std::string written);
// Arguments as a text, or as the object itself.
std::string written_arguments(const JsonValue* arguments);
// Gives every call an id of its own: "call_3" where the server gave none, or one twice.
void name_calls(std::vector<ToolUse>& calls, const Request& request);
// How a call goes back to a server: always an object, with what the model wrote in it where that
// was none.
std::string arguments_to_send(const ToolUse& call);

// Known secrets, which a server may repeat, are taken out; opaque parts that have some are dropped.
void redact_answer(Answer& answer);

Error too_many_calls();
// JSON that parse_json() refused for its depth or its size.
Error too_much_json(const Error& error);
// What a status of HTTP means; 0: none is known.
ErrorCode code_of_status(int status);
const char* hint_of(ErrorCode code);
// Words of a server that refuses: some say so with the status of a wrong request.
bool tells_of_empty_account(std::string_view words);
// A server that calls an error by a type, a code or a status; any may be empty.
Error server_error(std::string_view type, std::string_view message);
// The error in a body or an event, in any of the forms that servers have for it.
std::optional<Error> error_in(const JsonValue& body);
// What a server said, fit to be shown: on one line, without secrets, cut.
std::string server_words(std::string_view text);

// An event whose body, or else its name, says what it is.
struct TypedEvent {
  std::string type;
  JsonValue body;
};
// An error where the event is one, or no JSON.
Result<TypedEvent> read_typed_event(const SseEvent& event);

// By their first bytes: a text may be cut anywhere.
std::size_t characters(std::string_view text);
// By characters / 4, of what was sent and what came.
Usage estimated_usage(const Request& request, const Answer& answer);
Usage estimated_usage(const Request& request, std::size_t chars_came);

}  // namespace helve::llm
