// Requests of Chat Completions; chat_answer.cc reads what comes back.
#include "agent/llm/chat.h"

#include "agent/llm/answer_parts.h"
#include "agent/llm/chat_answer.h"
#include "base/json_writer.h"

namespace helve::llm {

namespace {

void write_chat_tools(const Request& request, JsonWriter& json) {
  if (request.tools.empty()) return;
  json.key("tools");
  json.begin_array();
  for (const ToolDeclaration& tool : request.tools) {
    json.begin_object();
    json.member("type", "function");
    json.key("function");
    json.begin_object();
    json.member("name", tool.name);
    json.member("description", tool.description);
    json.key("parameters");
    write_json(tool.input_schema, json);
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

void write_calls(const Message& message, JsonWriter& json) {
  json.key("tool_calls");
  json.begin_array();
  for (const ToolUse& call : message.calls) {
    json.begin_object();
    json.member("id", call.id);
    json.member("type", "function");
    json.key("function");
    json.begin_object();
    json.member("name", call.name);
    json.member("arguments", arguments_to_send(call));
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

void write_chat_message(const Message& message, JsonWriter& json) {
  json.begin_object();
  switch (message.role) {
    case Role::User:
      json.member("role", "user");
      json.member("content", message.text);
      break;
    case Role::Tool:
      json.member("role", "tool");
      json.member("tool_call_id", message.call_id);
      json.member("content", message.text);
      break;
    case Role::Assistant:
      json.member("role", "assistant");
      json.key("content");
      if (message.text.empty() && !message.calls.empty()) {
        json.null();
      } else {
        json.value(message.text);
      }
      if (!message.calls.empty()) write_calls(message, json);
      break;
  }
  json.end_object();
}

class ChatWire final : public Wire {
 public:
  std::string_view name() const override { return "chat"; }
  std::string_view service_url() const override { return "https://api.openai.com/v1"; }
  std::string_view path() const override { return "/chat/completions"; }
  HttpHeaders headers() const override { return {}; }
  std::pair<std::string, std::string> credential(const std::string& key) const override {
    return {"authorization", "Bearer " + key};
  }

  std::string body(const Request& request, const WireModel& model) const override {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("model", model.name);
    json.member("stream", model.is_streamed);
    if (model.is_streamed) {
      json.key("stream_options");
      json.begin_object();
      json.member("include_usage", true);
      json.end_object();
    }
    // Newer models of OpenAI refuse the old name, and other servers do not know the new one.
    json.member(model.is_own_service ? "max_completion_tokens" : "max_tokens",
                request.output_tokens_max);
    if (request.temperature) json.member("temperature", *request.temperature);
    write_chat_tools(request, json);
    json.key("messages");
    json.begin_array();
    if (!request.system.empty()) {
      json.begin_object();
      json.member("role", "system");
      json.member("content", request.system);
      json.end_object();
    }
    for (const Message& message : request.messages) write_chat_message(message, json);
    json.end_array();
    json.end_object();
    return out;
  }

  std::unique_ptr<AnswerReader> reader(Pieces& pieces) const override {
    return read_chat_answer(pieces);
  }
};

}  // namespace

const Wire& chat_wire() {
  static const ChatWire wire;
  return wire;
}

}  // namespace helve::llm
