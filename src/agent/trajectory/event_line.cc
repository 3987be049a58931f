#include "agent/trajectory/event_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/trajectory/json_members.h"
#include "base/redaction.h"
#include "base/secret_positions.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::array<std::string_view, 9> kKinds = {"run_start",    "iteration", "tool_call",
                                                    "tool_result",  "llm_call",  "judgment",
                                                    "memory_write", "run_end",   "steering"};
constexpr std::size_t kShortestCut = 64;  // texts are not cut to less
constexpr std::size_t kDepthMax = 64;     // of a body; what is deeper is left out

std::optional<EventKind> find_kind(std::string_view name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<EventKind>(found - kKinds.begin());
}

std::string redacted(const std::string& text, bool is_named_so) {
  const bool is_reference = text.starts_with("env:") || text.starts_with("file:");
  if (is_named_so && !text.empty() && !is_reference) return std::string(kRedacted);
  return redact(text);
}

// What stands in front of the members of a body, or is written there by us.
bool is_of_line(std::string_view key) { return key == "kind" || key == "run" || key == "time"; }

JsonValue without_secrets(const JsonValue& value, bool is_named_so, std::size_t depth) {
  if (depth > kDepthMax) return JsonValue("[left out: nested too deeply]");
  if (is_named_so && value.is_number()) return JsonValue(kRedacted);  // a password of digits
  if (const std::string* const text = value.if_string()) {
    return JsonValue(redacted(*text, is_named_so));
  }
  if (const JsonValue::Array* const items = value.if_array()) {
    JsonValue::Array out;
    out.reserve(items->size());
    for (const JsonValue& item : *items) {
      out.push_back(without_secrets(item, is_named_so, depth + 1));
    }
    return JsonValue(std::move(out));
  }
  if (const JsonValue::Object* const members = value.if_object()) {
    JsonValue::Object out;
    out.reserve(members->size());
    for (const JsonMember& one : *members) {
      out.push_back(
          {redact(one.key), without_secrets(one.value, is_telling_name(one.key), depth + 1)});
    }
    return JsonValue(std::move(out));
  }
  return value;
}

std::string cut_text(const std::string& text, std::size_t bytes_max) {
  const std::string_view kept = std::string_view(text).substr(0, bytes_max);
  return fmt::format("{}... [cut: {} of {} bytes]", kept.substr(0, utf8_valid_prefix(kept)),
                     text.size() - bytes_max, text.size());
}

JsonValue with_short_texts(const JsonValue& value, std::size_t bytes_max) {
  if (const std::string* const text = value.if_string()) {
    return text->size() > bytes_max ? JsonValue(cut_text(*text, bytes_max)) : value;
  }
  if (const JsonValue::Array* const items = value.if_array()) {
    JsonValue::Array out;
    for (const JsonValue& item : *items) out.push_back(with_short_texts(item, bytes_max));
    return JsonValue(std::move(out));
  }
  if (const JsonValue::Object* const members = value.if_object()) {
    JsonValue::Object out;
    for (const JsonMember& one : *members) {
      out.push_back({one.key, with_short_texts(one.value, bytes_max)});
    }
    return JsonValue(std::move(out));
  }
  return value;
}

std::string line_of(EventKind kind, const JsonValue& body, const EventStamp& stamp, bool is_cut) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("kind", name_of(kind));
  if (!stamp.run.empty()) writer.member("run", stamp.run);
  if (!stamp.time.empty()) writer.member("time", stamp.time);
  if (is_cut) writer.member("cut", true);
  if (const JsonValue::Object* const members = body.if_object()) {
    for (const JsonMember& one : *members) {
      if (is_of_line(one.key)) continue;
      if (stamp.time.empty() && one.key == "ms")
        continue;  // no times: the same run, the same bytes
      writer.key(one.key);
      write_json(one.value, writer);
    }
  }
  writer.end_object();
  out += '\n';
  return out;
}

// What names the event, when all else is too much.
JsonValue names_alone(const JsonValue& body) {
  JsonValue::Object out;
  for (const char* const key : {"n", "id", "name", "stop_reason", "task"}) {
    const JsonValue* const found = body.find(key);
    if (found != nullptr) out.push_back({key, with_short_texts(*found, kShortestCut)});
  }
  return JsonValue(std::move(out));
}

struct Need {
  EventKind kind;
  std::string_view member;
  JsonKind type;
};
constexpr std::array<Need, 8> kNeeds = {{
    {EventKind::RunStart, "task", JsonKind::String},
    {EventKind::Iteration, "n", JsonKind::Int},
    {EventKind::ToolCall, "n", JsonKind::Int},
    {EventKind::ToolCall, "name", JsonKind::String},
    {EventKind::ToolResult, "n", JsonKind::Int},
    {EventKind::LlmCall, "n", JsonKind::Int},
    {EventKind::RunEnd, "stop_reason", JsonKind::String},
    {EventKind::Steering, "n", JsonKind::Int},
}};

Result<void> check_needs(EventKind kind, const JsonValue& body) {
  for (const Need& need : kNeeds) {
    if (need.kind != kind) continue;
    const JsonValue* const found = body.find(need.member);
    const bool is_there =
        found != nullptr &&
        (need.type == JsonKind::Int ? found->to_uint64().has_value() : found->kind() == need.type);
    if (is_there) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} has no {} that is {}", name_of(kind), need.member,
                             need.type == JsonKind::Int ? "a count" : "a text")};
  }
  return {};
}

}  // namespace

std::string_view name_of(EventKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

JsonValue without_secrets_in(const JsonValue& value) { return without_secrets(value, false, 0); }

std::string encode_event(EventKind kind, const JsonValue& body, const EventStamp& stamp,
                         std::size_t bytes_max) {
  const JsonValue clean = without_secrets_in(body);
  std::string line = line_of(kind, clean, stamp, false);
  for (std::size_t texts_max = bytes_max / 2; line.size() > bytes_max && texts_max >= kShortestCut;
       texts_max /= 2) {
    line = line_of(kind, with_short_texts(clean, texts_max), stamp, true);
  }
  if (line.size() > bytes_max) line = line_of(kind, names_alone(clean), stamp, true);
  return line;
}

Result<std::optional<DecodedEvent>> decode_event(std::string_view line) {
  HELVE_ASSIGN(JsonValue value, parse_json(line));
  JsonValue::Object* const members = value.if_object();
  if (members == nullptr) return Error{ErrorCode::InvalidInput, "an event is an object"};
  const std::string name = text_member(value, "kind");
  if (name.empty()) return Error{ErrorCode::InvalidInput, "an event has a kind"};
  const auto kind = find_kind(name);
  if (!kind) return std::optional<DecodedEvent>();
  DecodedEvent decoded;
  decoded.run = text_member(value, "run");
  decoded.time = text_member(value, "time");
  std::erase_if(*members, [](const JsonMember& one) { return is_of_line(one.key); });
  HELVE_TRY(check_needs(*kind, value));
  decoded.event = {*kind, std::move(value)};
  return std::optional<DecodedEvent>(std::move(decoded));
}

}  // namespace helve::agent
