#include "toolkit/memory/item_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "toolkit/memory/item_json.h"

namespace helve::memory {

Error unreadable_item(std::string_view id) {
  return {ErrorCode::Unavailable,
          fmt::format("item {} of the memory bank is not what was stored", id),
          "restore it from a backup"};
}

std::vector<std::string> tags_of(std::string_view text) {
  std::vector<std::string> tags;
  while (text.size() > 1) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find(','), text.size());
    tags.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return tags;
}

Result<Provenance> provenance_of(std::string_view text) {
  Provenance from;
  if (text.empty()) return from;
  HELVE_ASSIGN(const JsonValue json, parse_json(text));
  const auto word = [&](std::string_view key) {
    const JsonValue* value = json.find(key);
    return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
  };
  from.added_by = word("added_by");
  from.run = word("run");
  from.verdict = word("verdict");
  from.evidence = word("evidence");
  from.query_hash = word("query_hash");
  if (const JsonValue* step = json.find("step")) from.step = step->to_int64();
  return from;
}

std::string tags_text(const Item& item) {
  std::string text = item.tags.empty() ? "" : ",";
  for (const std::string& tag : item.tags) text += tag + ",";
  return text;
}

std::string provenance_text(const Item& item) {
  const Provenance& from = item.provenance;
  if (from == Provenance{}) return {};
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("added_by", from.added_by);
  json.member("run", from.run);
  json.member("verdict", from.verdict);
  json.member("evidence", from.evidence);
  json.member("query_hash", from.query_hash);
  if (from.step) json.member("step", *from.step);
  json.end_object();
  return text;
}

std::int64_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

sqlite::Value seconds_of(const std::optional<WallTime>& time) {
  if (!time) return std::monostate{};
  return seconds_of(*time);
}

WallTime time_of(std::int64_t seconds) {
  constexpr std::int64_t kMost = 9'000'000'000;  // from 1716 to 2255; a file may say anything
  return WallTime(std::chrono::seconds(std::clamp(seconds, -kMost + 1'000'000'000, kMost)));
}

ChangeKind change_kind_of(std::int64_t number) {
  return static_cast<ChangeKind>(
      std::clamp<std::int64_t>(number, 0, static_cast<std::int64_t>(ChangeKind::Evict)));
}

Result<std::optional<Item>> item_before(std::string_view json) {
  if (json.empty()) return std::optional<Item>();
  HELVE_ASSIGN(const JsonValue value, parse_json(json));
  HELVE_ASSIGN(ReadItem read, read_item(value));
  return std::optional(std::move(read.item));
}

}  // namespace helve::memory
