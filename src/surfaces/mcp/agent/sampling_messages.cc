#include "surfaces/mcp/agent/sampling_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace helve::mcp {

namespace {

using llm::Message;
using llm::Role;
using llm::ToolUse;

constexpr std::size_t kAnswerBytesMax = 1 << 20;
constexpr std::size_t kCallsMax = 64;      // of one answer
constexpr std::size_t kCharsPerToken = 4;  // clients tell nothing of tokens

JsonValue object(std::initializer_list<std::pair<const char*, JsonValue>> members) {
  JsonValue::Object out;
  for (const auto& [key, value] : members) out.push_back({key, value});
  return JsonValue(std::move(out));
}

JsonValue text_block(std::string_view text) {
  return object({{"type", JsonValue("text")}, {"text", JsonValue(text)}});
}

JsonValue message(std::string_view role, JsonValue content) {
  return object({{"role", JsonValue(role)}, {"content", std::move(content)}});
}

JsonValue empty_object() { return JsonValue(JsonValue::Object{}); }

// With tools.

JsonValue use_block(const ToolUse& use) {
  return object({{"type", JsonValue("tool_use")},
                 {"id", JsonValue(use.id)},
                 {"name", JsonValue(use.name)},
                 {"input", use.arguments.if_object() != nullptr ? use.arguments : empty_object()}});
}

JsonValue result_block(const Message& one) {
  JsonValue::Array content;
  content.push_back(text_block(one.text));
  return object({{"type", JsonValue("tool_result")},
                 {"toolUseId", JsonValue(one.call_id)},
                 {"content", JsonValue(std::move(content))},
                 {"isError", JsonValue(one.is_error)}});
}

JsonValue assistant_content(const Message& one) {
  JsonValue::Array blocks;
  if (!one.text.empty() || one.calls.empty()) blocks.push_back(text_block(one.text));
  for (const ToolUse& use : one.calls) blocks.push_back(use_block(use));
  return JsonValue(std::move(blocks));
}

// Results of one answer's calls are one message, with nothing beside them.
JsonValue messages_with_tools(const std::vector<Message>& messages) {
  JsonValue::Array out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& one = messages[i];
    if (one.role == Role::User) out.push_back(message("user", text_block(one.text)));
    if (one.role == Role::Assistant) out.push_back(message("assistant", assistant_content(one)));
    if (one.role != Role::Tool) continue;
    JsonValue::Array results;
    for (; i < messages.size() && messages[i].role == Role::Tool; ++i) {
      results.push_back(result_block(messages[i]));
    }
    --i;
    out.push_back(message("user", JsonValue(std::move(results))));
  }
  return JsonValue(std::move(out));
}

JsonValue declared(const std::vector<llm::ToolDeclaration>& tools) {
  JsonValue::Array out;
  for (const llm::ToolDeclaration& tool : tools) {
    out.push_back(object({{"name", JsonValue(tool.name)},
                          {"description", JsonValue(tool.description)},
                          {"inputSchema", tool.input_schema}}));
  }
  return JsonValue(std::move(out));
}

// In words.

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
  JsonValue::Array out;
  for (const ToolUse& use : calls) {
    out.push_back(object({{"tool", JsonValue(use.name)}, {"arguments", use.arguments}}));
  }
  return to_json(out.size() == 1 ? out.front() : JsonValue(out));
}

JsonValue messages_in_words(const std::vector<Message>& messages) {
  JsonValue::Array out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& one = messages[i];
    if (one.role == Role::User) out.push_back(message("user", text_block(one.text)));
    if (one.role == Role::Assistant) {
      const std::string calls = one.calls.empty() ? "" : written_calls(one.calls);
      const char* const gap = one.text.empty() || calls.empty() ? "" : "\n";
      out.push_back(message("assistant", text_block(fmt::format("{}{}{}", one.text, gap, calls))));
    }
    if (one.role != Role::Tool) continue;
    std::string results;
    for (; i < messages.size() && messages[i].role == Role::Tool; ++i) {
      results += fmt::format("{}{}:\n{}\n", results.empty() ? "" : "\n",
                             messages[i].is_error ? "Error" : "Result", messages[i].text);
    }
    --i;
    out.push_back(message("user", text_block(results)));
  }
  return JsonValue(std::move(out));
}

// A call of {"tool": ..., "arguments": {...}}, if it is one.
bool take_written_call(const JsonValue& value, std::size_t turn, std::vector<ToolUse>& calls) {
  const JsonValue* const name = value.find("tool");
  if (name == nullptr || name->if_string() == nullptr || calls.size() == kCallsMax) return false;
  const JsonValue* const arguments = value.find("arguments");
  ToolUse use;
  use.id = fmt::format("call_{}_{}", turn, calls.size());
  use.name = *name->if_string();
  use.arguments = arguments == nullptr ? empty_object() : *arguments;
  use.written = to_json(use.arguments);
  if (use.arguments.if_object() == nullptr) use.arguments = JsonValue();
  calls.push_back(std::move(use));
  return true;
}

bool take_written_calls(std::string_view text, std::size_t turn, std::vector<ToolUse>& calls) {
  const auto value = parse_json(text);
  if (!value) return false;
  if (value->if_object() != nullptr) return take_written_call(*value, turn, calls);
  const JsonValue::Array* const items = value->if_array();
  if (items == nullptr || items->empty()) return false;
  const bool are_calls = std::all_of(items->begin(), items->end(), [](const JsonValue& one) {
    return one.find("tool") != nullptr && one.find("tool")->if_string() != nullptr;
  });
  if (!are_calls) return false;
  for (const JsonValue& one : *items) take_written_call(one, turn, calls);
  return true;
}

// Where calls may begin: the text itself, a fenced block, the first line that begins with a
// bracket.
void read_written_calls(std::size_t turn, llm::Answer& answer) {
  const std::string text = answer.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" \t", at);
    if (first < line_end && (text[first] == '{' || text[first] == '[')) {
      std::string_view rest = std::string_view(text).substr(first);
      const std::size_t fence = rest.find("\n```");
      rest = rest.substr(0, fence);
      if (take_written_calls(rest, turn, answer.calls)) {
        std::string before = text.substr(0, at);
        if (fence != std::string_view::npos)
          before.resize(before.rfind("```") == std::string::npos ? before.size()
                                                                 : before.rfind("```"));
        while (!before.empty() && (before.back() == '\n' || before.back() == ' ')) {
          before.pop_back();
        }
        answer.text = std::move(before);
      }
      return;
    }
    at = line_end + 1;
  }
}

void take_block(const JsonValue& block, std::size_t turn, llm::Answer& answer) {
  const JsonValue* const type = block.find("type");
  if (type == nullptr || type->if_string() == nullptr) return;
  if (*type->if_string() == "text") {
    const JsonValue* const text = block.find("text");
    if (text != nullptr && text->if_string() != nullptr) answer.text += *text->if_string();
    return;
  }
  if (*type->if_string() != "tool_use" || answer.calls.size() == kCallsMax) return;
  const JsonValue* const name = block.find("name");
  const JsonValue* const id = block.find("id");
  const JsonValue* const input = block.find("input");
  if (name == nullptr || name->if_string() == nullptr) return;
  ToolUse use;
  const bool has_id = id != nullptr && id->if_string() != nullptr && !id->if_string()->empty();
  use.id = has_id ? *id->if_string() : fmt::format("call_{}_{}", turn, answer.calls.size());
  use.name = *name->if_string();
  if (input != nullptr && input->if_object() != nullptr) use.arguments = *input;
  use.written = input == nullptr ? "" : to_json(*input);
  answer.calls.push_back(std::move(use));
}

llm::Stop stop_of(const JsonValue& result, const llm::Answer& answer) {
  if (!answer.calls.empty()) return llm::Stop::ToolCalls;
  const JsonValue* const reason = result.find("stopReason");
  if (reason == nullptr || reason->if_string() == nullptr) return llm::Stop::EndTurn;
  return *reason->if_string() == "maxTokens" ? llm::Stop::OutputCap : llm::Stop::EndTurn;
}

llm::Usage estimated(const llm::Request& request, const llm::Answer& answer) {
  std::size_t in = request.system.size();
  for (const Message& one : request.messages) in += one.text.size();
  std::size_t out = answer.text.size();
  for (const ToolUse& use : answer.calls) out += use.written.size();
  llm::Usage usage;
  usage.input_tokens = in / kCharsPerToken;
  usage.output_tokens = out / kCharsPerToken;
  usage.is_estimated = true;
  return usage;
}

}  // namespace

JsonValue sampling_params(const llm::Request& request, bool has_tools) {
  JsonValue::Object out;
  out.push_back({"messages", has_tools ? messages_with_tools(request.messages)
                                       : messages_in_words(request.messages)});
  const std::string system =
      has_tools ? request.system : request.system + told_tools(request.tools);
  if (!system.empty()) out.push_back({"systemPrompt", JsonValue(system)});
  out.push_back({"maxTokens", JsonValue(static_cast<std::uint64_t>(request.output_tokens_max))});
  if (request.temperature) out.push_back({"temperature", JsonValue(*request.temperature)});
  if (has_tools && !request.tools.empty()) {
    out.push_back({"tools", declared(request.tools)});
    out.push_back({"toolChoice", object({{"mode", JsonValue("auto")}})});
  }
  return JsonValue(std::move(out));
}

Result<llm::Answer> read_sampled(const JsonValue& result, const llm::Request& request,
                                 bool has_tools, std::size_t turn) {
  const JsonValue* const content = result.find("content");
  if (content == nullptr || (content->if_object() == nullptr && content->if_array() == nullptr)) {
    return Error{ErrorCode::InvalidInput, "the client's model gave no content"};
  }
  llm::Answer answer;
  if (const JsonValue::Array* const blocks = content->if_array()) {
    for (const JsonValue& block : *blocks) take_block(block, turn, answer);
  } else {
    take_block(*content, turn, answer);
  }
  if (answer.text.size() > kAnswerBytesMax) {
    return Error{ErrorCode::LimitExceeded, "the client's model gave too long an answer"};
  }
  if (!has_tools && !request.tools.empty()) read_written_calls(turn, answer);
  const JsonValue* const model = result.find("model");
  if (model != nullptr && model->if_string() != nullptr) answer.model = *model->if_string();
  answer.stop = stop_of(result, answer);
  answer.usage = estimated(request, answer);
  return answer;
}

}  // namespace helve::mcp
