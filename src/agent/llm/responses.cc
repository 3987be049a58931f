// Requests of OpenAI Responses; responses_answer.cc reads what comes back.
#include "agent/llm/responses.h"

#include <algorithm>

#include "agent/llm/answer_parts.h"
#include "agent/llm/responses_answer.h"
#include "base/json_writer.h"

namespace helve::llm {

namespace {

// Others refuse to be asked for encrypted reasoning. By the names that there are: "o3-mini",
// "gpt-5.1", "gpt-oss-20b".
bool is_reasoning_model(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const auto is_digit_at = [name](std::size_t at, char least) {
    return name.size() > at && name[at] >= least && name[at] <= '9';
  };
  return (name.starts_with('o') && is_digit_at(1, '1')) ||
         (name.starts_with("gpt-") && is_digit_at(4, '5')) || name.starts_with("gpt-oss") ||
         name.find("codex") != std::string_view::npos;
}

void write_response_tools(const Request& request, JsonWriter& json) {
  if (request.tools.empty()) return;
  json.key("tools");
  json.begin_array();
  for (const ToolDeclaration& tool : request.tools) {
    json.begin_object();
    json.member("type", "function");
    json.member("name", tool.name);
    json.member("description", tool.description);
    json.key("parameters");
    write_json(tool.input_schema, json);
    json.member("strict", false);  // else schemas with optional members are refused
    json.end_object();
  }
  json.end_array();
}

void write_text_item(const char* role, const char* type, std::string_view text, JsonWriter& json) {
  json.begin_object();
  json.member("type", "message");
  json.member("role", role);
  json.key("content");
  json.begin_array();
  json.begin_object();
  json.member("type", type);
  json.member("text", text);
  json.end_object();
  json.end_array();
  json.end_object();
}

void write_function_call(const ToolUse& call, JsonWriter& json) {
  json.begin_object();
  json.member("type", "function_call");
  json.member("call_id", call.id);
  json.member("name", call.name);
  json.member("arguments", arguments_to_send(call));
  json.end_object();
}

// The items as they came, where the message still says the same: reasoning belongs to the item
// behind it.
const JsonValue::Array* items_as_they_came(const Message& message) {
  for (const Opaque& opaque : message.opaque) {
    const JsonValue::Array* items = opaque.content.if_array();
    if (opaque.kind != "responses" || items == nullptr) continue;
    std::vector<std::string_view> ids;
    for (const JsonValue& item : *items) {
      if (text_at(&item, "type") == "function_call") ids.push_back(text_at(&item, "call_id"));
    }
    const bool has_same_calls =
        std::equal(ids.begin(), ids.end(), message.calls.begin(), message.calls.end(),
                   [](std::string_view id, const ToolUse& call) { return id == call.id; });
    if (text_of_items(*items) == message.text && has_same_calls) return items;
  }
  return nullptr;
}

void write_input_item(const Message& message, JsonWriter& json) {
  switch (message.role) {
    case Role::User:
      return write_text_item("user", "input_text", message.text, json);
    case Role::Tool:
      json.begin_object();
      json.member("type", "function_call_output");
      json.member("call_id", message.call_id);
      json.member("output", message.text);
      json.end_object();
      return;
    case Role::Assistant:
      break;
  }
  if (const JsonValue::Array* items = items_as_they_came(message)) {
    for (const JsonValue& item : *items) write_json(item, json);
    return;
  }
  if (!message.text.empty()) write_text_item("assistant", "output_text", message.text, json);
  for (const ToolUse& call : message.calls) write_function_call(call, json);
}

class ResponsesWire final : public Wire {
 public:
  std::string_view name() const override { return "responses"; }
  std::string_view service_url() const override { return "https://api.openai.com/v1"; }
  std::string_view path() const override { return "/responses"; }
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
    json.member("store", false);
    if (is_reasoning_model(model.name)) {
      json.key("include");
      json.begin_array();
      json.value("reasoning.encrypted_content");
      json.end_array();
    }
    json.member("max_output_tokens", request.output_tokens_max);
    if (request.temperature) json.member("temperature", *request.temperature);
    write_response_tools(request, json);
    if (!request.system.empty()) json.member("instructions", request.system);
    json.key("input");
    json.begin_array();
    for (const Message& message : request.messages) write_input_item(message, json);
    json.end_array();
    json.end_object();
    return out;
  }

  std::unique_ptr<AnswerReader> reader(Pieces& pieces) const override {
    return read_responses_answer(pieces);
  }
};

}  // namespace

const Wire& responses_wire() {
  static const ResponsesWire wire;
  return wire;
}

}  // namespace helve::llm
