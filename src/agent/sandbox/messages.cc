#include "agent/sandbox/messages.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace helve::sandbox {

namespace {

constexpr std::size_t kValuesMax = 1'000'000;  // in one message
constexpr std::size_t kWordBytesMax = 1'000;
constexpr std::size_t kTextBytesMax = 64 * kKiB;
constexpr std::size_t kPromptsMax = 1'000;
constexpr std::size_t kViewsMax = 200;

void write_function(const Function& function, JsonWriter& writer) {
  writer.begin_object();
  writer.member("name", function.name);
  writer.member("doc", function.doc);
  writer.member("returns", function.returns);
  writer.key("parameters");
  writer.begin_array();
  for (const FunctionParameter& parameter : function.parameters) {
    writer.begin_object();
    writer.member("name", parameter.name);
    writer.member("type", parameter.type);
    writer.member("required", parameter.is_required);
    if (parameter.otherwise) {
      writer.key("default");
      write_json(*parameter.otherwise, writer);
    }
    writer.end_object();
  }
  writer.end_array();
  writer.end_object();
}

void write_handle(const HandleValue& handle, JsonWriter& writer) {
  writer.key("handle");
  writer.begin_object();
  writer.member("key", handle.key);
  writer.member("text", handle.text);
  writer.key("facts");
  if (handle.facts.if_object() != nullptr) {
    write_json(handle.facts, writer);
  } else {
    writer.begin_object();
    writer.end_object();
  }
  writer.end_object();
}

void begin_message(JsonWriter& writer, std::string_view op, std::uint64_t id) {
  writer.begin_object();
  writer.member("op", op);
  writer.member("id", id);
}

std::string message_of(std::string_view op, std::uint64_t id, std::string_view key = {},
                       std::string_view text = {}) {
  std::string out;
  JsonWriter writer(out);
  begin_message(writer, op, id);
  if (!key.empty()) writer.member(key, text);
  writer.end_object();
  return out;
}

// At most so many bytes, of whole characters.
std::string cut(std::string_view text, std::size_t bytes_max) {
  text = text.substr(0, bytes_max);
  return std::string(text.substr(0, utf8_valid_prefix(text)));
}

std::optional<std::uint64_t> number_of(const JsonValue& body, std::string_view key) {
  const JsonValue* const value = body.find(key);
  return value != nullptr ? value->to_uint64() : std::nullopt;
}

// The member itself, without a copy; null where there is none.
JsonValue taken(JsonValue& body, std::string_view key) {
  if (auto* const members = body.if_object()) {
    for (JsonMember& member : *members) {
      if (member.key == key) return std::move(member.value);
    }
  }
  return {};
}

bool is_of_type(const JsonValue& value, std::string_view type) {
  if (type == "str") return value.if_string() != nullptr;
  if (type == "bool") return value.if_bool() != nullptr;
  if (type == "list") return value.if_array() != nullptr;
  if (type == "dict") return value.if_object() != nullptr;
  if (type == "float") return value.is_number();
  if (type == "int") return value.is_number() && value.kind() != JsonKind::Double;
  return true;
}

Error no_message(std::string_view what) {
  return {ErrorCode::InvalidInput, fmt::format("what was sent is no message: {}", what)};
}

}  // namespace

std::string declare_message(std::uint64_t id, const std::vector<const Function*>& functions) {
  std::string out;
  JsonWriter writer(out);
  begin_message(writer, "declare", id);
  writer.key("functions");
  writer.begin_array();
  for (const Function* const function : functions) write_function(*function, writer);
  writer.end_array();
  writer.end_object();
  return out;
}

std::string first_message(std::uint64_t id, const SandboxOptions& options) {
  std::string out;
  JsonWriter writer(out);
  begin_message(writer, "declare", id);
  writer.key("functions");
  writer.begin_array();
  writer.end_array();
  writer.key("submit_fields");
  writer.begin_array();
  for (const SubmitField& field : options.submit_fields) {
    writer.begin_object();
    writer.member("name", field.name);
    writer.member("type", field.type);
    writer.member("optional", field.is_optional);
    writer.end_object();
  }
  writer.end_array();
  writer.key("module_folders");
  writer.begin_array();
  for (const auto& folder : options.module_folders) writer.value(folder.native());
  writer.end_array();
  writer.member("message_bytes_max", options.limits.message_bytes_max);
  writer.member("preload", options.is_preloaded);
  writer.end_object();
  return out;
}

std::string set_message(std::uint64_t id, const Variable& variable) {
  std::string out;
  JsonWriter writer(out);
  begin_message(writer, "set", id);
  writer.member("name", variable.name);
  if (variable.handle) write_handle(*variable.handle, writer);
  writer.end_object();
  return out;
}

std::string execute_message(std::uint64_t id, std::string_view code) {
  return message_of("execute", id, "code", code);
}
std::string get_message(std::uint64_t id, std::string_view name) {
  return message_of("get", id, "name", name);
}
std::string views_message(std::uint64_t id) { return message_of("views", id); }

std::string value_reply(const FunctionValue& value) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  if (value.handle) {
    write_handle(*value.handle, writer);
  } else {
    writer.key("value");
    write_json(value.value, writer);
  }
  writer.end_object();
  return out;
}

std::string error_reply(const Error& error) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("error");
  writer.begin_object();
  writer.member("code", error_code_name(error.code));
  writer.member("message", error.full_message());
  writer.member("hint", error.full_hint());
  writer.end_object();
  writer.end_object();
  return out;
}

bool GuestMessage::is_request() const {
  return op == "call" || op == "model" || op == "rows" || op == "submit";
}

bool GuestMessage::is_answer(std::string_view expected, std::uint64_t id) const {
  const JsonValue* const given = body.find("id");
  return op == expected && given != nullptr && given->to_uint64() == id;
}

Result<GuestMessage> read_message(std::string_view text) {
  Limits limits;
  limits.json_values_max = kValuesMax;
  HELVE_ASSIGN(JsonValue body, parse_json(text, limits));
  const JsonValue* const op = body.find("op");
  const std::string* const name = op != nullptr ? op->if_string() : nullptr;
  if (name == nullptr) return no_message("it does not say what it is");
  return GuestMessage{cut(*name, kWordBytesMax), std::move(body)};
}

Result<Request> read_request(GuestMessage message) {
  JsonValue& body = message.body;
  if (message.op == "call") {
    std::string name = text_of(body, "name", kWordBytesMax);
    JsonValue arguments = taken(body, "arguments");
    if (arguments.if_object() == nullptr) return no_message("a call without arguments");
    return CallRequest{std::move(name), std::move(arguments)};
  }
  if (message.op == "rows") {
    const auto offset = number_of(body, "offset");
    const auto limit = number_of(body, "limit");
    if (!offset || !limit) {
      return Error{ErrorCode::InvalidInput, "offset and limit are numbers from 0 to 2^64"};
    }
    return RowsRequest{text_of(body, "key", kWordBytesMax), *offset, *limit};
  }
  if (message.op == "submit") {
    JsonValue value = taken(body, "value");
    if (value.if_object() == nullptr) return no_message("an empty SUBMIT");
    return SubmitRequest{std::move(value)};
  }
  JsonValue prompts = taken(body, "prompts");
  auto* const list = prompts.if_array();
  if (list == nullptr) return no_message("a question without prompts");
  if (list->size() > kPromptsMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("{} prompts at once, and {} are allowed", list->size(), kPromptsMax)};
  }
  ModelRequest request;
  for (const JsonValue& prompt : *list) {
    if (prompt.if_string() == nullptr) return no_message("a prompt that is no text");
    request.prompts.push_back(*prompt.if_string());
  }
  return request;
}

std::string text_of(const JsonValue& body, std::string_view key, std::size_t bytes_max) {
  const JsonValue* const value = body.find(key);
  const std::string* const text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? cut(*text, bytes_max) : std::string();
}

void read_done(const JsonValue& body, BlockResult& result) {
  result.value = text_of(body, "value", kTextBytesMax);
  result.value_type = text_of(body, "value_type", kWordBytesMax);
  const JsonValue* const error = body.find("error");
  if (error == nullptr || error->if_object() == nullptr) return;
  BlockError found;
  found.type = text_of(*error, "type", kWordBytesMax);
  found.message = text_of(*error, "message", kTextBytesMax);
  found.traceback = text_of(*error, "traceback", kTextBytesMax);
  if (const JsonValue* const line = error->find("line")) found.line = line->to_uint64();
  result.error = std::move(found);
}

std::vector<VariableView> read_views(const JsonValue& body) {
  std::vector<VariableView> views;
  const JsonValue* const list = body.find("views");
  if (list == nullptr || list->if_array() == nullptr) return views;
  for (const JsonValue& one : *list->if_array()) {
    if (views.size() == kViewsMax) break;
    VariableView view;
    view.name = text_of(one, "name", kWordBytesMax);
    view.type = text_of(one, "type", kWordBytesMax);
    view.preview = text_of(one, "preview", kTextBytesMax);
    if (const JsonValue* const length = one.find("length")) view.length = length->to_uint64();
    views.push_back(std::move(view));
  }
  return views;
}

Result<void> check_submitted(const JsonValue& value, const std::vector<SubmitField>& fields) {
  if (fields.empty()) return {};
  std::size_t known = 0;
  for (const SubmitField& field : fields) {
    const JsonValue* const given = value.find(field.name);
    if (given == nullptr && field.is_optional) continue;
    ++known;
    if (given == nullptr || !is_of_type(*given, field.type)) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("SUBMIT: '{}' must be given, as {}", field.name, field.type)};
    }
  }
  if (value.if_object()->size() != known) {
    return Error{ErrorCode::InvalidInput, "SUBMIT has fields that were not asked for"};
  }
  return {};
}

}  // namespace helve::sandbox
