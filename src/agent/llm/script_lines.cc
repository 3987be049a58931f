#include "agent/llm/script_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/llm/answer_parts.h"
#include "agent/llm/exchange_json.h"

namespace helve::llm {

namespace {

constexpr std::size_t kLinesMax = 100'000;

Result<ErrorCode> read_code(std::string_view name) {
  for (int i = static_cast<int>(ErrorCode::Internal); i <= static_cast<int>(ErrorCode::Cancelled);
       ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (error_code_name(code) == name) return code;
  }
  return Error{ErrorCode::InvalidInput,
               fmt::format("'{}' is no code of an error", server_words(name)),
               "unavailable, denied, invalid_input, limit_exceeded ..."};
}

Result<void> read_error(const JsonValue& value, std::optional<Error>& into) {
  HELVE_ASSIGN(const ErrorCode code, read_code(text_at(&value, "code")));
  into.emplace(code, std::string(text_at(&value, "message")), std::string(text_at(&value, "hint")));
  return {};
}

Result<void> read_recorded(const JsonValue& value, ScriptLine& line) {
  line.is_recorded = true;
  line.request_hash = text_at(&value, "request_hash");
  if (const JsonValue* request = value.find("request")) line.request = *request;
  if (!line.request_hash.empty() && line.request.if_object() != nullptr) {
    line.own_hash = recorded_request_hash(line.request);
  }
  const JsonValue* answer = value.find("answer");
  line.has_usage = true;
  if (line.error) return {};
  if (answer == nullptr) {
    return Error{ErrorCode::InvalidInput, "an exchange has neither answer nor error"};
  }
  HELVE_ASSIGN(line.answer, read_answer(*answer));
  return {};
}

Result<ScriptLine> read_line(std::string_view text, std::size_t number) {
  HELVE_ASSIGN(JsonValue value, parse_json(text));
  if (value.if_object() == nullptr) {
    return Error{ErrorCode::InvalidInput, "a line is no JSON object",
                 "one answer on each line: {\"text\": \"...\"}"};
  }
  ScriptLine line;
  line.number = number;
  if (const JsonValue* error = value.find("error"); error != nullptr && !error->is_null()) {
    HELVE_TRY(read_error(*error, line.error));
  }
  const bool is_recorded = value.find("request") != nullptr || value.find("answer") != nullptr ||
                           value.find("request_hash") != nullptr;
  if (is_recorded) {
    HELVE_TRY(read_recorded(value, line));
    return line;
  }
  line.expect = text_at(&value, "expect");
  const JsonValue* usage = value.find("usage");
  line.has_usage = usage != nullptr && !usage->is_null();
  std::erase_if(*value.if_object(), [](const JsonMember& member) {
    return member.key == "expect" || member.key == "error";
  });
  HELVE_ASSIGN(line.answer, read_answer(value));
  return line;
}

}  // namespace

Result<std::vector<ScriptLine>> read_script(std::string_view text, const std::string& name) {
  std::vector<ScriptLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view written = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (written.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto line = read_line(written, number);
    if (!line) {
      const std::uint64_t column = line.error().position ? line.error().position->column : 1;
      return std::move(line).error().at(name, {number, column});
    }
    if (lines.size() >= kLinesMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} has more than {} answers", name, kLinesMax)};
    }
    lines.push_back(*std::move(line));
  }
  return lines;
}

JsonValue to_json_value(const Error& error) {
  JsonValue::Object object{{"code", JsonValue(error_code_name(error.code))},
                           {"message", JsonValue(error.full_message())}};
  if (!error.hint.empty()) object.push_back({"hint", JsonValue(error.hint)});
  return JsonValue(std::move(object));
}

}  // namespace helve::llm
