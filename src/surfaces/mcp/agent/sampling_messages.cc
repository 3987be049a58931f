#include "surfaces/mcp/agent/sampling_messages.h"

#include <fmt/format.h>

#include <utility>

#include "agent/llm/answer_parts.h"
#include "surfaces/mcp/agent/written_calls.h"

namespace helve::mcp {

namespace {

using llm::Message;
using llm::Role;
using llm::ToolUse;

constexpr std::size_t kAnswerBytesMax = 1 << 20;

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

// With tools.

JsonValue use_block(const ToolUse& use) {
  return object({{"type", JsonValue("tool_use")},
                 {"id", JsonValue(use.id)},
                 {"name", JsonValue(use.name)},
                 {"input", parse_json(llm::arguments_to_send(use)).value_or(JsonValue())}});
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

Result<void> take_block(const JsonValue& block, llm::Answer& answer) {
  const std::string_view type = llm::text_at(&block, "type");
  if (type == "text") answer.text += llm::text_at(&block, "text");
  if (type != "tool_use") return {};
  const std::string_view name = llm::text_at(&block, "name");
  if (name.empty()) return {};
  if (answer.calls.size() == llm::kCallsMax) return llm::too_many_calls();
  answer.calls.push_back(llm::make_call(std::string(llm::text_at(&block, "id")), std::string(name),
                                        llm::written_arguments(block.find("input"))));
  return {};
}

llm::Stop stop_of(const JsonValue& result, const llm::Answer& answer) {
  if (!answer.calls.empty()) return llm::Stop::ToolCalls;
  return llm::text_at(&result, "stopReason") == "maxTokens" ? llm::Stop::OutputCap
                                                            : llm::Stop::EndTurn;
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
                                 bool has_tools) {
  const JsonValue* const content = result.find("content");
  if (content == nullptr || (content->if_object() == nullptr && content->if_array() == nullptr)) {
    return Error{ErrorCode::InvalidInput, "the client's model gave no content",
                 "the client must answer sampling/createMessage with role, content and model"};
  }
  llm::Answer answer;
  if (const JsonValue::Array* const blocks = content->if_array()) {
    for (const JsonValue& block : *blocks) HELVE_TRY(take_block(block, answer));
  } else {
    HELVE_TRY(take_block(*content, answer));
  }
  if (answer.text.size() > kAnswerBytesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the client's model gave an answer of {} bytes, and {} are allowed",
                             answer.text.size(), kAnswerBytesMax),
                 "ask for less at once"};
  }
  if (!has_tools && !request.tools.empty()) HELVE_TRY(take_written_calls(answer));
  llm::name_calls(answer.calls, request);
  answer.model = llm::text_at(&result, "model");
  answer.stop = stop_of(result, answer);
  answer.usage = llm::estimated_usage(request, answer);
  return answer;
}

}  // namespace helve::mcp
