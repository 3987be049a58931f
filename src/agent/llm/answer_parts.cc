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
// Of what servers say, that is looked at; a secret that begins in it ends within the bytes behind.
constexpr std::size_t kWordsRead = 16 * kWordsShown;
constexpr std::size_t kSecretBytesMax = 12 * kKiB;  // 4,096 characters, percent-encoded

struct NamedFault {
  std::string_view word;  // of a type or a code
  ErrorCode code;
};
// The first that is found counts.
constexpr std::array kFaults = {
    NamedFault{"permission", ErrorCode::Denied},  // "insufficient_permissions"
    NamedFault{"quota", ErrorCode::LimitExceeded},
    NamedFault{"billing", ErrorCode::LimitExceeded},
    NamedFault{"insufficient", ErrorCode::LimitExceeded},
    NamedFault{"authentication", ErrorCode::Denied},
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

std::size_t characters_of(const std::vector<ToolUse>& calls) {
  std::size_t count = 0;
  for (const ToolUse& call : calls) count += characters(call.name) + characters(call.written);
  return count;
}

// The text of a value without known secrets; nullopt: it has none.
std::optional<std::string> redacted(const JsonValue& value) {
  const std::string text = to_json(value);
  std::string clean = text;
  redact_known(clean);
  return clean != text ? std::optional(std::move(clean)) : std::nullopt;
}

}  // namespace

ErrorCode code_of_status(int status) {
  if (status == 402) return ErrorCode::LimitExceeded;
  if (status == 401 || status == 403 || status == 407) return ErrorCode::Denied;
  const bool is_passing = status == 408 || status == 409 || status == 429;
  return status >= 300 && status < 500 && !is_passing ? ErrorCode::InvalidInput
                                                      : ErrorCode::Unavailable;
}

const char* hint_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::LimitExceeded:
      return "look at the quota and the bills of the account";
    case ErrorCode::Denied:
      return "check the key, and that it may use this model";
    case ErrorCode::InvalidInput:
      return "it says what it does not take: change that, or use another model";
    default:
      return "try again later, or use another model";
  }
}

bool tells_of_empty_account(std::string_view words) {
  constexpr std::array<std::string_view, 4> kWords = {"credit balance", "credits", "billing",
                                                      "quota"};
  const std::string lower = ascii_lower(words);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

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
  auto read = parse_json(is_blank(call.written) ? "{}" : call.written);
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

void redact_answer(Answer& answer) {
  for (std::string* text : {&answer.text, &answer.reasoning, &answer.model}) redact_known(*text);
  for (ToolUse& call : answer.calls) {
    for (std::string* text : {&call.id, &call.name, &call.written}) redact_known(*text);
    // There it stands without the escapes that hide it in what was written.
    if (auto arguments = redacted(call.arguments)) {
      call = make_call(std::move(call.id), std::move(call.name), *std::move(arguments));
    }
  }
  std::erase_if(answer.opaque, [](const Opaque& one) { return redacted(one.content).has_value(); });
}

Error too_many_calls() {
  return {ErrorCode::LimitExceeded,
          fmt::format("the model makes more than {} calls in one answer", kCallsMax),
          "ask for less at a time"};
}

Error too_much_json(const Error& error) {
  return {ErrorCode::LimitExceeded, "the answer is beyond what is read: " + error.message,
          "use another model or server: no answer needs that"};
}

std::string server_words(std::string_view text) {
  // Not all of it: a hostile page may be long. Where it is cut, what may be the beginning of a
  // secret goes too.
  std::string clean = redact(text.substr(0, kWordsRead + kSecretBytesMax));
  if (text.size() > kWordsRead + kSecretBytesMax) {
    clean.resize(clean.size() - std::min(clean.size(), kSecretBytesMax));
  }
  clean = repaired_utf8(clean);
  std::string line;
  for (const char c : clean) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  while (line.ends_with(' ')) line.pop_back();
  return elide_end(escape_for_terminal(line), kWordsShown);
}

Error server_error(std::string_view type, std::string_view message) {
  ErrorCode code = code_of(type);
  std::string words = server_words(message);
  const bool is_refused = code == ErrorCode::InvalidInput || code == ErrorCode::Denied;
  if (is_refused && tells_of_empty_account(words)) code = ErrorCode::LimitExceeded;
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
  if (!read && read.error().code == ErrorCode::LimitExceeded) return too_much_json(read.error());
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
  return estimated_usage(request, characters(answer.text) + characters(answer.reasoning) +
                                      characters_of(answer.calls));
}

Usage estimated_usage(const Request& request, std::size_t came) {
  std::size_t sent = characters(request.system);
  for (const Message& message : request.messages) {
    sent += characters(message.text) + characters_of(message.calls);
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
