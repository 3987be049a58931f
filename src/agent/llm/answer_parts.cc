#include "agent/llm/answer_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/ascii.h"
#include "base/redaction.h"
#include "base/text.h"
#include "base/utf8_repair.h"

namespace helve::llm {

namespace {

constexpr std::size_t kWordsShown = 300;

struct NamedFault {
  std::string_view word;  // of a type or a code
  ErrorCode code;
};
// The first that is found counts.
constexpr std::array kFaults = {
    NamedFault{"quota", ErrorCode::LimitExceeded},
    NamedFault{"billing", ErrorCode::LimitExceeded},
    NamedFault{"insufficient", ErrorCode::LimitExceeded},
    NamedFault{"authentication", ErrorCode::Denied},
    NamedFault{"permission", ErrorCode::Denied},
    NamedFault{"api_key", ErrorCode::Denied},
    NamedFault{"forbidden", ErrorCode::Denied},
    NamedFault{"unauthorized", ErrorCode::Denied},
    NamedFault{"invalid", ErrorCode::InvalidInput},
    NamedFault{"badrequest", ErrorCode::InvalidInput},
    NamedFault{"bad_request", ErrorCode::InvalidInput},
    NamedFault{"not_found", ErrorCode::InvalidInput},
    NamedFault{"context_length", ErrorCode::InvalidInput},
    NamedFault{"too_large", ErrorCode::InvalidInput},
};

ErrorCode code_of_status(int status) {
  if (status == 402) return ErrorCode::LimitExceeded;
  if (status == 401 || status == 403 || status == 407) return ErrorCode::Denied;
  const bool is_passing = status == 408 || status == 409 || status == 429;
  return status >= 400 && status < 500 && !is_passing ? ErrorCode::InvalidInput
                                                      : ErrorCode::Unavailable;
}

// "insufficient_quota", "404 NotFoundError": by its words, or else by its number.
ErrorCode code_of(std::string_view type) {
  const std::string lower = ascii_lower(type);
  const auto found = std::find_if(kFaults.begin(), kFaults.end(), [&](const NamedFault& fault) {
    return lower.find(fault.word) != std::string::npos;
  });
  if (found != kFaults.end()) return found->code;
  int status = 0;
  std::from_chars(type.data(), type.data() + type.size(), status);
  return code_of_status(status);
}

const char* hint_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::LimitExceeded:
      return "look at the quota and the bills of the account";
    case ErrorCode::Denied:
      return "check the key, and that it may use this model";
    case ErrorCode::InvalidInput:
      return "check the name of the model, and ask for less";
    default:
      return "try again later, or use another model";
  }
}

// A type and a code, which may be a number; the one that says more comes first.
std::string type_of(const JsonValue& error) {
  std::string type;
  for (const char* key : {"code", "type"}) {
    const JsonValue* value = error.find(key);
    if (value == nullptr) continue;
    if (const auto number = value->to_int64()) type += fmt::format("{} ", *number);
    if (const auto* text = value->if_string()) type += *text + " ";
  }
  if (!type.empty()) type.pop_back();
  return type;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::size_t characters(const std::vector<ToolUse>& calls) {
  std::size_t count = 0;
  for (const ToolUse& call : calls) count += characters(call.name) + characters(call.written);
  return count;
}

}  // namespace

const JsonValue* member_of(const JsonValue* value, std::string_view key) {
  return value != nullptr ? value->find(key) : nullptr;
}

std::string_view text_at(const JsonValue* value, std::string_view key) {
  const JsonValue* member = member_of(value, key);
  const std::string* text = member != nullptr ? member->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

const JsonValue::Array* array_at(const JsonValue* value, std::string_view key) {
  const JsonValue* member = member_of(value, key);
  return member != nullptr ? member->if_array() : nullptr;
}

std::uint64_t count_at(const JsonValue* value, std::string_view key) {
  const JsonValue* member = member_of(value, key);
  return member != nullptr ? member->to_uint64().value_or(0) : 0;
}

ToolUse make_call(std::string id, std::string name, std::string written) {
  ToolUse call{std::move(id), std::move(name), JsonValue(), std::move(written)};
  const bool is_empty = call.written.find_first_not_of(" \t\r\n") == std::string::npos;
  auto read = parse_json(is_empty ? "{}" : call.written);
  if (read && read->is_null()) read = JsonValue(JsonValue::Object{});
  if (read && read->if_object() != nullptr) call.arguments = *std::move(read);
  return call;
}

std::string written_arguments(const JsonValue* arguments) {
  if (arguments == nullptr || arguments->is_null()) return {};
  if (const std::string* text = arguments->if_string()) return *text;
  return to_json(*arguments);
}

void name_calls(std::vector<ToolUse>& calls, const Request& request) {
  std::size_t before = 0;
  std::set<std::string, std::less<>> taken;
  for (const Message& message : request.messages) {
    before += message.calls.size();
    for (const ToolUse& call : message.calls) taken.insert(call.id);
  }
  std::set<std::string, std::less<>> seen;
  for (ToolUse& call : calls) {
    if (!call.id.empty() && seen.insert(call.id).second) continue;
    do {
      call.id = fmt::format("call_{}", ++before);
    } while (taken.contains(call.id) || !seen.insert(call.id).second);
  }
}

std::string arguments_to_send(const ToolUse& call) {
  if (call.arguments.if_object() == nullptr) {
    return to_json(JsonValue(JsonValue::Object{{"not_an_object", JsonValue(call.written)}}));
  }
  // As it came: what a server has cached stays the same.
  const bool is_written = call.written.find('{') != std::string::npos;
  return is_written ? call.written : to_json(call.arguments);
}

Error too_many_calls() {
  return {ErrorCode::LimitExceeded,
          fmt::format("the model makes more than {} calls in one answer", kCallsMax),
          "ask for less at a time"};
}

std::string server_words(std::string_view text) {
  // What is cut off first is not looked at: a hostile page may be long.
  const std::string clean = redact(repaired_utf8(text.substr(0, 16 * kWordsShown)));
  std::string line;
  for (const char c : clean) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  while (line.ends_with(' ')) line.pop_back();
  return elide_end(escape_for_terminal(line), kWordsShown);
}

Error server_error(std::string_view type, std::string_view message) {
  const ErrorCode code = code_of(type);
  std::string words = server_words(message);
  if (words.empty()) words = "an error without words";
  const std::string kind = server_words(type);
  return {code, kind.empty() ? words : fmt::format("{} ({})", words, kind), hint_of(code)};
}

std::optional<Error> error_in(const JsonValue& body) {
  const JsonValue* error = body.find("error");
  if (error != nullptr && !error->is_null()) {
    if (const std::string* text = error->if_string()) return server_error({}, *text);
    if (error->if_object() == nullptr) return server_error({}, to_json(*error));
    return server_error(type_of(*error), text_at(error, "message"));
  }
  if (text_at(&body, "object") == "error" || text_at(&body, "type") == "error") {
    return server_error(type_of(body), text_at(&body, "message"));
  }
  return std::nullopt;
}

Result<TypedEvent> read_typed_event(const SseEvent& event) {
  auto read = parse_json(event.data);
  if (event.name == "error" && (!read || !error_in(*read))) return server_error({}, event.data);
  if (!read) {
    return Error{ErrorCode::Unavailable, "an event that is no JSON: " + server_words(event.data),
                 "try again later"};
  }
  if (auto error = error_in(*read)) return *std::move(error);
  const std::string_view said = text_at(&*read, "type");
  std::string type(said.empty() ? std::string_view(event.name) : said);
  return TypedEvent{std::move(type), *std::move(read)};
}

Usage estimated_usage(const Request& request, const Answer& answer) {
  return estimated_usage(
      request, characters(answer.text) + characters(answer.reasoning) + characters(answer.calls));
}

Usage estimated_usage(const Request& request, std::size_t came) {
  std::size_t sent = characters(request.system);
  for (const Message& message : request.messages) {
    sent += characters(message.text) + characters(message.calls);
  }
  for (const ToolDeclaration& tool : request.tools) {
    sent += characters(tool.name) + characters(tool.description) +
            characters(to_json(tool.input_schema));
  }
  Usage usage;
  usage.input_tokens = (sent + 3) / 4;
  usage.output_tokens = (came + 3) / 4;
  usage.is_estimated = true;
  return usage;
}

}  // namespace helve::llm
