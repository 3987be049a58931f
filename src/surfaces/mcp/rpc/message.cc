#include "surfaces/mcp/rpc/message.h"

#include <utility>

#include "base/json_writer.h"
#include "base/redaction.h"
#include "base/text.h"

namespace helve::mcp {

namespace {

constexpr std::string_view kVersion = "2.0";

Malformed invalid(std::optional<RequestId> id, std::string message) {
  return {std::move(id), {code::kInvalidRequest, std::move(message), {}}};
}

constexpr std::size_t kIdDigitsMax = 64;

struct Members {
  JsonValue* version = nullptr;
  JsonValue* id = nullptr;
  JsonValue* method = nullptr;
  JsonValue* params = nullptr;
  JsonValue* result = nullptr;
  JsonValue* error = nullptr;
};

Members members_of(JsonValue::Object& object) {
  Members members;
  for (auto& [key, value] : object) {
    if (key == "jsonrpc") members.version = &value;
    if (key == "id") members.id = &value;
    if (key == "method") members.method = &value;
    if (key == "params") members.params = &value;
    if (key == "result") members.result = &value;
    if (key == "error") members.error = &value;
  }
  return members;
}

RpcError error_of(JsonValue& value) {
  RpcError error;
  const JsonValue* number = value.find("code");
  const auto code = number == nullptr ? std::nullopt : number->to_int64();
  if (code && *code >= INT32_MIN && *code <= INT32_MAX) error.code = static_cast<int>(*code);
  const JsonValue* message = value.find("message");
  if (message != nullptr && message->if_string() != nullptr) error.message = *message->if_string();
  if (const JsonValue* data = value.find("data")) error.data = *data;
  return error;
}

Message response_of(std::optional<RequestId> id, const Members& members) {
  if (!id) return invalid({}, "a response needs the id of a request");
  if ((members.result == nullptr) == (members.error == nullptr)) {
    return invalid({}, "a response has either a result or an error");
  }
  if (members.result != nullptr) return Response{*std::move(id), std::move(*members.result)};
  if (members.error->if_object() == nullptr) return invalid({}, "\"error\" must be an object");
  return Response{*std::move(id), error_of(*members.error)};
}

Message message_of(JsonValue& value) {
  JsonValue::Object* object = value.if_object();
  if (object == nullptr) return invalid({}, "a message is a JSON object");
  const Members members = members_of(*object);
  std::optional<RequestId> id;
  if (members.id != nullptr) id = request_id(*members.id);
  if (members.version == nullptr || members.version->if_string() == nullptr ||
      *members.version->if_string() != kVersion) {
    return invalid(std::move(id), "\"jsonrpc\" must be \"2.0\"");
  }
  if (members.method == nullptr) {
    if (members.result != nullptr || members.error != nullptr) {
      return response_of(std::move(id), members);
    }
    return invalid(std::move(id), "a message has a \"method\", a \"result\" or an \"error\"");
  }
  if (members.id != nullptr && !id) return invalid({}, "\"id\" must be a text or a whole number");
  if (members.method->if_string() == nullptr) {
    return invalid(std::move(id), "\"method\" must be a text");
  }
  JsonValue params;
  if (members.params != nullptr) {
    if (members.params->if_object() == nullptr) {
      // A request that is well-formed but for its parameters has the code of parameters.
      return Malformed{std::move(id),
                       {code::kInvalidParams, "\"params\" must be an object", std::nullopt}};
    }
    params = std::move(*members.params);
  }
  std::string method = *members.method->if_string();
  if (id) return Request{*std::move(id), std::move(method), std::move(params)};
  return Notification{std::move(method), std::move(params)};
}

std::string begin_message(std::size_t room) {
  std::string out;
  out.reserve(room + 64);
  out += R"({"jsonrpc":"2.0",)";
  return out;
}

}  // namespace

// Texts and whole numbers; JSON-RPC allows more, MCP does not.
std::optional<RequestId> request_id(const JsonValue& value) {
  if (value.if_string() != nullptr) return to_json(value);
  if (const auto number = value.to_int64()) return std::to_string(*number);
  if (const auto number = value.to_uint64()) return std::to_string(*number);
  const JsonNumber* big = value.if_big_number();
  const bool is_whole = big != nullptr && big->text.size() <= kIdDigitsMax &&
                        big->text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? std::optional(big->text) : std::nullopt;
}

Incoming read_incoming(std::string_view text, const Limits& limits) {
  Incoming incoming;
  auto parsed = parse_json(text, limits);
  if (!parsed) {
    const Error& error = parsed.error();
    const bool is_limit = error.code == ErrorCode::LimitExceeded;
    incoming.messages.push_back(Malformed{
        {}, {is_limit ? code::kInvalidRequest : code::kParseError, error.to_string(), {}}});
    return incoming;
  }
  JsonValue::Array* batch = parsed->if_array();
  if (batch == nullptr) {
    incoming.messages.push_back(message_of(*parsed));
    return incoming;
  }
  if (batch->empty() || batch->size() > kBatchMax) {
    incoming.messages.push_back(invalid(
        {}, batch->empty() ? "the batch is empty"
                           : "a batch has at most " + std::to_string(kBatchMax) + " messages"));
    return incoming;
  }
  incoming.is_batch = true;
  for (JsonValue& value : *batch) incoming.messages.push_back(message_of(value));
  return incoming;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kWidth = 100;
  // Cut before it is escaped: it may be megabytes.
  return elide_end(escape_for_terminal(text.substr(0, 4 * kWidth)), kWidth);
}

std::string result_message(const RequestId& id, std::string_view result) {
  std::string out = begin_message(id.size() + result.size());
  out += "\"id\":";
  out += id;
  out += ",\"result\":";
  out += result;
  out += '}';
  return out;
}

std::string error_message(const std::optional<RequestId>& id, const RpcError& error) {
  std::string out = begin_message(error.message.size());
  if (id) {
    out += "\"id\":";
    out += *id;
    out += ',';
  }
  out += "\"error\":";
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("code", error.code);
  writer.member("message", redact(error.message));
  if (error.data) {
    writer.key("data");
    write_json(*error.data, writer);
  }
  writer.end_object();
  out += '}';
  return out;
}

std::string notification_message(std::string_view method, std::string_view params) {
  std::string out = begin_message(method.size() + params.size());
  out += "\"method\":";
  append_json_string(out, method);
  out += ",\"params\":";
  out += params;
  out += '}';
  return out;
}

std::string request_message(const RequestId& id, std::string_view method, std::string_view params) {
  std::string out = begin_message(id.size() + method.size() + params.size());
  out += "\"id\":";
  out += id;
  out += ",\"method\":";
  append_json_string(out, method);
  out += ",\"params\":";
  out += params;
  out += '}';
  return out;
}

}  // namespace helve::mcp
