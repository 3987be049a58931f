#include "surfaces/mcp/agent/written_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/llm/answer_parts.h"
#include "base/json.h"

namespace helve::mcp {

namespace {

using llm::ToolUse;

// Places that are looked at: each may cost a look at all that follows.
constexpr std::size_t kPlacesMax = 256;

// Behind the value that begins with a bracket at `at`; npos: it does not end.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_text) {
      if (c == '\\') ++i;
      if (c == '"') is_in_text = false;
      continue;
    }
    if (c == '"') is_in_text = true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// {"tool": ..., "arguments": {...}}
bool is_call(const JsonValue& value) {
  return value.if_object() != nullptr && !llm::text_at(&value, "tool").empty();
}

ToolUse call_of(const JsonValue& value) {
  return llm::make_call("", std::string(llm::text_at(&value, "tool")),
                        llm::written_arguments(value.find("arguments")));
}

// The calls of a value; empty: it is something else.
std::vector<ToolUse> calls_of(const JsonValue& value) {
  if (is_call(value)) return {call_of(value)};
  std::vector<ToolUse> calls;
  const JsonValue::Array* const items = value.if_array();
  if (items == nullptr || !std::all_of(items->begin(), items->end(), is_call)) return calls;
  std::transform(items->begin(), items->end(), std::back_inserter(calls), call_of);
  return calls;
}

// The next bracket that begins a line.
std::size_t next_place(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first == std::string_view::npos) break;
    if (text[first] == '{' || text[first] == '[') return first;
    const std::size_t line_end = text.find('\n', first);
    if (line_end == std::string_view::npos) break;
    at = line_end + 1;
  }
  return std::string_view::npos;
}

// What stood before the first call, without the fence that it was in.
std::string text_before(std::string_view text, std::size_t at) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view before = text.substr(0, at);
  const auto trim = [&] { before = before.substr(0, before.find_last_not_of(kBlanks) + 1); };
  trim();
  const std::size_t line = before.rfind('\n') + 1;  // 0 where there is none
  if (before.substr(line).starts_with("```")) before = before.substr(0, line);
  trim();
  return std::string(before);
}

}  // namespace

std::string told_tools(const std::vector<llm::ToolDeclaration>& tools) {
  if (tools.empty()) return {};
  std::string out =
      "\n\nYou work with tools. To call one, answer with nothing but a JSON object of this form:\n"
      "{\"tool\": \"NAME\", \"arguments\": {...}}\n"
      "or with an array of such objects to call several. The results come with the next message.\n"
      "The tools, each with the JSON Schema of its arguments:\n";
  for (const llm::ToolDeclaration& tool : tools) {
    out += fmt::format("- {}: {}\n  {}\n", tool.name, tool.description, to_json(tool.input_schema));
  }
  return out;
}

std::string written_calls(const std::vector<ToolUse>& calls) {
  std::vector<std::string> out;
  out.reserve(calls.size());
  for (const ToolUse& use : calls) {
    out.push_back(fmt::format(R"({{"tool":{},"arguments":{}}})", to_json(JsonValue(use.name)),
                              llm::arguments_to_send(use)));
  }
  return out.size() == 1 ? out.front() : fmt::format("[{}]", fmt::join(out, ","));
}

Result<void> take_written_calls(llm::Answer& answer) {
  const std::string text = std::move(answer.text);
  std::optional<std::size_t> first;
  std::size_t at = next_place(text, 0);
  for (std::size_t place = 0; place < kPlacesMax && at != std::string::npos; ++place) {
    const std::size_t end = end_of_value(text, at);
    if (end == std::string::npos) {  // "[Note" is none, and another line may begin one
      at = next_place(text, std::min(text.find('\n', at), text.size()));
      continue;
    }
    const auto value = parse_json(std::string_view(text).substr(at, end - at));
    const auto calls = value ? calls_of(*value) : std::vector<ToolUse>();
    if (!calls.empty() && !first) first = at;
    answer.calls.insert(answer.calls.end(), calls.begin(), calls.end());
    if (answer.calls.size() > llm::kCallsMax) return llm::too_many_calls();
    // What is in a value that is no call is not looked at; what is no value may have one behind.
    at = next_place(text, value ? end : std::min(text.find('\n', at), text.size()));
  }
  answer.text = first ? text_before(text, *first) : text;
  return {};
}

}  // namespace helve::mcp
