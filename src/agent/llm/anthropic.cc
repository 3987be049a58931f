// Requests of Anthropic Messages; anthropic_answer.cc reads what comes back.
#include "agent/llm/anthropic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "agent/llm/answer_parts.h"
#include "agent/llm/anthropic_answer.h"
#include "base/ascii.h"
#include "base/json_writer.h"

namespace helve::llm {

namespace {

constexpr std::string_view kNothing = "(nothing)";  // empty texts are refused

void write_mark(JsonWriter& json) {
  json.key("cache_control");
  json.begin_object();
  json.member("type", "ephemeral");
  json.end_object();
}

void write_text_block(std::string_view text, bool is_marked, JsonWriter& json) {
  json.begin_object();
  json.member("type", "text");
  json.member("text", text);
  if (is_marked) write_mark(json);
  json.end_object();
}

void write_result(const Message& message, const std::string& id, bool is_marked, JsonWriter& json) {
  json.begin_object();
  json.member("type", "tool_result");
  json.member("tool_use_id", id);
  json.member("content", message.text);
  if (message.is_error) json.member("is_error", true);
  if (is_marked) write_mark(json);
  json.end_object();
}

void write_tool_use(const ToolUse& call, const std::string& id, bool is_marked, JsonWriter& json) {
  json.begin_object();
  json.member("type", "tool_use");
  json.member("id", id);
  json.member("name", call.name);
  json.key("input");
  if (call.arguments.if_object() != nullptr) {
    write_json(call.arguments, json);
  } else {
    json.begin_object();
    json.member("not_an_object", call.written);
    json.end_object();
  }
  if (is_marked) write_mark(json);
  json.end_object();
}

// The blocks as they came, where the message still says the same: signed reasoning stands between
// other blocks, and only its own order is taken.
const JsonValue::Array* blocks_as_they_came(const Message& message) {
  for (const Opaque& opaque : message.opaque) {
    const JsonValue::Array* blocks = opaque.content.if_array();
    if (opaque.kind != "anthropic" || blocks == nullptr) continue;
    std::string text;
    std::vector<std::string_view> ids;
    for (const JsonValue& block : *blocks) {
      if (text_at(&block, "type") == "text") text += text_at(&block, "text");
      if (text_at(&block, "type") == "tool_use") ids.push_back(text_at(&block, "id"));
    }
    const bool has_same_calls =
        std::equal(ids.begin(), ids.end(), message.calls.begin(), message.calls.end(),
                   [](std::string_view id, const ToolUse& call) { return id == call.id; });
    if (text == message.text && has_same_calls) return blocks;
  }
  return nullptr;
}

// Of a message that was changed since, what was thought alone.
void write_thinking(const Message& message, JsonWriter& json) {
  for (const Opaque& opaque : message.opaque) {
    const JsonValue::Array* blocks = opaque.content.if_array();
    if (opaque.kind != "anthropic" || blocks == nullptr) continue;
    for (const JsonValue& block : *blocks) {
      const std::string_view type = text_at(&block, "type");
      if (type == "thinking" || type == "redacted_thinking") write_json(block, json);
    }
  }
}

// What calls are named in a request. Ids of other providers may have characters that this one does
// not take; a server that gave an id, and gets its blocks back as they came, takes it.
class CallIds {
 public:
  void keep(const std::string& id) { give(id, id); }

  const std::string& of(const std::string& id) {
    const auto found = ids_.find(id);
    if (found != ids_.end()) return found->second;
    std::string plain = id.empty() ? "_" : id;
    for (char& c : plain) {
      const bool is_plain = is_letter_or_digit(c) || c == '_' || c == '-';
      if (!is_plain) c = '_';
    }
    // Of two ids that would be the same, the later gets a number.
    std::string free = plain;
    for (std::size_t number = 2; given_.contains(free); ++number) {
      free = fmt::format("{}_{}", plain, number);
    }
    return give(id, std::move(free));
  }

 private:
  const std::string& give(const std::string& id, std::string as) {
    given_.insert(as);
    return ids_[id] = std::move(as);
  }

  std::map<std::string, std::string> ids_;
  std::set<std::string> given_;
};

// A conversation as turns that alternate: results of tools and what the user says next are one
// turn.
class Turns {
 public:
  Turns(const std::vector<Message>& messages, JsonWriter& json)
      : messages_(messages), json_(json) {}

  void write() {
    json_.begin_array();
    for (std::size_t i = 0; i < messages_.size();) {
      const bool is_assistant = messages_[i].role == Role::Assistant;
      std::size_t end = i;
      while (end < messages_.size() && (messages_[end].role == Role::Assistant) == is_assistant) {
        ++end;
      }
      json_.begin_object();
      json_.member("role", is_assistant ? "assistant" : "user");
      json_.key("content");
      json_.begin_array();
      for (; i < end; ++i) write_blocks(messages_[i], i + 1 == messages_.size());
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

 private:
  void write_blocks(const Message& message, bool is_last) {
    if (message.role == Role::Tool) {
      return write_result(message, ids_.of(message.call_id), is_last, json_);
    }
    if (message.role == Role::Assistant) {
      if (const JsonValue::Array* blocks = blocks_as_they_came(message)) {
        for (const JsonValue& block : *blocks) write_json(block, json_);
        for (const ToolUse& call : message.calls) ids_.keep(call.id);
        return;
      }
      write_thinking(message, json_);
    }
    const bool has_calls = !message.calls.empty();
    if (!is_blank(message.text)) write_text_block(message.text, is_last && !has_calls, json_);
    if (is_blank(message.text) && !has_calls) write_text_block(kNothing, is_last, json_);
    for (const ToolUse& call : message.calls) {
      write_tool_use(call, ids_.of(call.id), is_last && &call == &message.calls.back(), json_);
    }
  }

  const std::vector<Message>& messages_;
  JsonWriter& json_;
  CallIds ids_;
};

void write_anthropic_tools(const Request& request, JsonWriter& json) {
  if (request.tools.empty()) return;
  json.key("tools");
  json.begin_array();
  for (const ToolDeclaration& tool : request.tools) {
    json.begin_object();
    json.member("name", tool.name);
    json.member("description", tool.description);
    json.key("input_schema");
    write_json(tool.input_schema, json);
    if (&tool == &request.tools.back()) write_mark(json);
    json.end_object();
  }
  json.end_array();
}

class AnthropicWire final : public Wire {
 public:
  std::string_view name() const override { return "anthropic"; }
  std::string_view service_url() const override { return "https://api.anthropic.com/v1"; }
  std::string_view path() const override { return "/messages"; }
  HttpHeaders headers() const override { return {{"anthropic-version", "2023-06-01"}}; }
  std::pair<std::string, std::string> credential(const std::string& key) const override {
    return {"x-api-key", key};
  }

  std::string body(const Request& request, const WireModel& model) const override {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("model", model.name);
    json.member("stream", model.is_streamed);
    json.member("max_tokens", request.output_tokens_max);
    if (request.temperature) json.member("temperature", *request.temperature);
    write_anthropic_tools(request, json);
    if (!is_blank(request.system)) {
      json.key("system");
      json.begin_array();
      write_text_block(request.system, true, json);
      json.end_array();
    }
    json.key("messages");
    Turns(request.messages, json).write();
    json.end_object();
    return out;
  }

  std::unique_ptr<AnswerReader> reader(Pieces& pieces) const override {
    return read_anthropic_answer(pieces);
  }
};

}  // namespace

const Wire& anthropic_wire() {
  static const AnthropicWire wire;
  return wire;
}

}  // namespace helve::llm
