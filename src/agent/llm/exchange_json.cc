#include "agent/llm/exchange_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/llm/answer_parts.h"
#include "agent/llm/data_marks.h"
#include "base/digest.h"
#include "base/near_names.h"

namespace helve::llm {

namespace {

constexpr std::array kStops = {Stop::EndTurn, Stop::ToolCalls, Stop::OutputCap, Stop::Refusal,
                               Stop::Other};

std::string_view name_of_role(Role role) {
  switch (role) {
    case Role::User:
      return "user";
    case Role::Assistant:
      return "assistant";
    case Role::Tool:
      break;
  }
  return "tool";
}

JsonValue calls_to_json(const std::vector<ToolUse>& calls) {
  JsonValue::Array list;
  for (const ToolUse& call : calls) {
    list.emplace_back(JsonValue::Object{{"id", JsonValue(call.id)},
                                        {"name", JsonValue(call.name)},
                                        {"arguments", call.arguments},
                                        {"written", JsonValue(call.written)}});
  }
  return JsonValue(std::move(list));
}

JsonValue opaque_to_json(const std::vector<Opaque>& opaque) {
  JsonValue::Array list;
  for (const Opaque& one : opaque) {
    list.emplace_back(JsonValue::Object{{"kind", JsonValue(one.kind)}, {"content", one.content}});
  }
  return JsonValue(std::move(list));
}

JsonValue message_to_json(const Message& message) {
  JsonValue::Object object{{"role", JsonValue(name_of_role(message.role))},
                           {"text", JsonValue(message.text)}};
  if (!message.calls.empty()) object.push_back({"calls", calls_to_json(message.calls)});
  if (message.role == Role::Tool) {
    object.push_back({"call_id", JsonValue(message.call_id)});
    object.push_back({"is_error", JsonValue(message.is_error)});
  }
  if (!message.opaque.empty()) object.push_back({"opaque", opaque_to_json(message.opaque)});
  return JsonValue(std::move(object));
}

// A message by what decides an answer: arguments count as they were read, not as they were written.
JsonValue deciding_message(const JsonValue& message) {
  const std::string_view role = text_at(&message, "role");
  const std::string_view text = text_at(&message, "text");
  JsonValue::Object object{
      {"role", JsonValue(role)},
      {"text", JsonValue(role == "tool" ? without_marks(text) : std::string(text))},
      {"call_id", JsonValue(text_at(&message, "call_id"))}};
  JsonValue::Array calls;
  if (const JsonValue::Array* all = array_at(&message, "calls")) {
    for (const JsonValue& call : *all) {
      const JsonValue* const arguments = call.find("arguments");
      const bool is_read = arguments != nullptr && !arguments->is_null();
      calls.emplace_back(JsonValue::Object{
          {"id", JsonValue(text_at(&call, "id"))},
          {"name", JsonValue(text_at(&call, "name"))},
          {"arguments", is_read ? *arguments : JsonValue(text_at(&call, "written"))}});
    }
  }
  object.push_back({"calls", JsonValue(std::move(calls))});
  const JsonValue* const is_error = message.find("is_error");
  object.push_back({"is_error", is_error != nullptr ? *is_error : JsonValue(false)});
  return JsonValue(std::move(object));
}

Error invalid_exchange(std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

Result<void> check_members(const JsonValue& value, const std::vector<std::string_view>& known,
                           std::string_view what) {
  const JsonValue::Object* members = value.if_object();
  if (members == nullptr) return invalid_exchange(fmt::format("{} is no object", what));
  for (const JsonMember& member : *members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const auto near = near_names(member.key, known, 1);
    return invalid_exchange(
        fmt::format("{} has an unknown member '{}'", what, server_words(member.key)),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near.front()));
  }
  return {};
}

Result<std::string> read_text(const JsonValue& value, std::string_view key) {
  const JsonValue* member = value.find(key);
  if (member == nullptr || member->is_null()) return std::string();
  if (const std::string* text = member->if_string()) return *text;
  return invalid_exchange(fmt::format("'{}' is no text", key));
}

Result<std::uint64_t> read_count(const JsonValue& value, std::string_view key) {
  const JsonValue* member = value.find(key);
  if (member == nullptr || member->is_null()) return std::uint64_t{0};
  if (const auto count = member->to_uint64()) return *count;
  return invalid_exchange(fmt::format("'{}' is no count", key));
}

// Arguments may be an object, or a text that stands for what a model wrote.
Result<ToolUse> read_call(const JsonValue& value) {
  HELVE_TRY(check_members(value, {"id", "name", "arguments", "written"}, "a call"));
  HELVE_ASSIGN(std::string id, read_text(value, "id"));
  HELVE_ASSIGN(std::string name, read_text(value, "name"));
  if (name.empty()) return invalid_exchange("a call has no name");
  const JsonValue* written = value.find("written");
  const JsonValue* arguments = written != nullptr ? written : value.find("arguments");
  ToolUse call = make_call(std::move(id), std::move(name), written_arguments(arguments));
  const JsonValue* given = value.find("arguments");
  if (written != nullptr && given != nullptr) call.arguments = *given;  // as it was read once
  return call;
}

Result<Stop> read_stop(const JsonValue& value, bool has_calls) {
  HELVE_ASSIGN(const std::string name, read_text(value, "stop"));
  if (name.empty()) return has_calls ? Stop::ToolCalls : Stop::EndTurn;
  for (const Stop stop : kStops) {
    if (name_of(stop) == name) return stop;
  }
  std::string names;
  for (const Stop stop : kStops) names += fmt::format(" {}", name_of(stop));
  return invalid_exchange(fmt::format("'{}' is no reason to stop", server_words(name)),
                          "one of" + names);
}

}  // namespace

JsonValue to_json_value(const Request& request) {
  JsonValue::Array tools;
  for (const ToolDeclaration& tool : request.tools) {
    tools.emplace_back(JsonValue::Object{{"name", JsonValue(tool.name)},
                                         {"description", JsonValue(tool.description)},
                                         {"input_schema", tool.input_schema}});
  }
  JsonValue::Array messages;
  for (const Message& message : request.messages) messages.push_back(message_to_json(message));
  JsonValue::Object object{
      {"system", JsonValue(request.system)},
      {"tools", JsonValue(std::move(tools))},
      {"output_tokens_max", JsonValue(std::uint64_t{request.output_tokens_max})}};
  if (request.temperature) object.push_back({"temperature", JsonValue(*request.temperature)});
  object.push_back({"messages", JsonValue(std::move(messages))});
  return JsonValue(std::move(object));
}

std::string request_hash(const Request& request) {
  return recorded_request_hash(to_json_value(request));
}

std::string recorded_request_hash(const JsonValue& request) {
  JsonValue::Array messages;
  if (const JsonValue::Array* all = array_at(&request, "messages")) {
    for (const JsonValue& message : *all) messages.push_back(deciding_message(message));
  }
  const JsonValue* const tools = request.find("tools");
  return digest_hex(
      DigestKind::Sha256,
      to_json(JsonValue(JsonValue::Object{{"system", JsonValue(text_at(&request, "system"))},
                                          {"messages", JsonValue(std::move(messages))},
                                          {"tools", tools != nullptr ? *tools : JsonValue()}})));
}

JsonValue to_json_value(const Usage& usage) {
  JsonValue::Object object{{"input_tokens", JsonValue(usage.input_tokens)},
                           {"cached_tokens", JsonValue(usage.cached_tokens)},
                           {"cache_write_tokens", JsonValue(usage.cache_write_tokens)},
                           {"output_tokens", JsonValue(usage.output_tokens)},
                           {"cost", usage.cost ? JsonValue(*usage.cost) : JsonValue()},
                           {"is_estimated", JsonValue(usage.is_estimated)}};
  return JsonValue(std::move(object));
}

JsonValue to_json_value(const Answer& answer) {
  JsonValue::Object object{{"text", JsonValue(answer.text)},
                           {"reasoning", JsonValue(answer.reasoning)},
                           {"calls", calls_to_json(answer.calls)}};
  if (!answer.opaque.empty()) object.push_back({"opaque", opaque_to_json(answer.opaque)});
  object.push_back({"stop", JsonValue(name_of(answer.stop))});
  object.push_back({"usage", to_json_value(answer.usage)});
  object.push_back({"model", JsonValue(answer.model)});
  object.push_back({"retries", JsonValue(std::uint64_t{answer.retries})});
  return JsonValue(std::move(object));
}

Usage usage_in(const JsonValue& value) {
  Usage usage;
  usage.input_tokens = count_at(&value, "input_tokens");
  usage.cached_tokens = count_at(&value, "cached_tokens");
  usage.cache_write_tokens = count_at(&value, "cache_write_tokens");
  usage.output_tokens = count_at(&value, "output_tokens");
  if (const JsonValue* cost = value.find("cost")) usage.cost = cost->to_double();
  const JsonValue* estimated = value.find("is_estimated");
  usage.is_estimated =
      estimated != nullptr && estimated->if_bool() != nullptr && *estimated->if_bool();
  return usage;
}

Result<Usage> read_usage(const JsonValue& value) {
  HELVE_TRY(check_members(value,
                          {"input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens",
                           "cost", "is_estimated"},
                          "usage"));
  for (const char* key : {"input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens"}) {
    HELVE_TRY(read_count(value, key));
  }
  return usage_in(value);
}

Result<Answer> read_answer(const JsonValue& value) {
  HELVE_TRY(check_members(
      value, {"text", "reasoning", "calls", "opaque", "stop", "usage", "model", "retries"},
      "an answer"));
  Answer answer;
  HELVE_ASSIGN(answer.text, read_text(value, "text"));
  HELVE_ASSIGN(answer.reasoning, read_text(value, "reasoning"));
  HELVE_ASSIGN(answer.model, read_text(value, "model"));
  HELVE_ASSIGN(const std::uint64_t retries, read_count(value, "retries"));
  answer.retries = static_cast<unsigned>(std::min<std::uint64_t>(retries, 1'000));
  if (const JsonValue* calls = value.find("calls"); calls != nullptr && !calls->is_null()) {
    if (calls->if_array() == nullptr) return invalid_exchange("'calls' is no list");
    for (const JsonValue& call : *calls->if_array()) {
      HELVE_ASSIGN(ToolUse read, read_call(call));
      answer.calls.push_back(std::move(read));
    }
  }
  if (const JsonValue::Array* opaque = array_at(&value, "opaque")) {
    for (const JsonValue& one : *opaque) {
      const JsonValue* content = one.find("content");
      answer.opaque.push_back(
          {std::string(text_at(&one, "kind")), content != nullptr ? *content : JsonValue()});
    }
  }
  HELVE_ASSIGN(answer.stop, read_stop(value, !answer.calls.empty()));
  const JsonValue* usage = value.find("usage");
  if (usage != nullptr && !usage->is_null()) {
    HELVE_ASSIGN(answer.usage, read_usage(*usage));
  }
  return answer;
}

}  // namespace helve::llm
