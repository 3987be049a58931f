#include "toolkit/memory/item_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "toolkit/memory/item_json.h"

namespace helve::memory {

namespace {

Error unreadable(std::string_view id) {
  return {ErrorCode::Unavailable, fmt::format("the bank is damaged: item {} cannot be read", id),
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

std::optional<WallTime> time_at(const sqlite::StoreStatement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return time_of(row.integer(column));
}

std::uint64_t count_at(const sqlite::StoreStatement& row, int column) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(column)));
}

Result<Provenance> provenance_of(std::string_view text) {
  Provenance from;
  if (text.empty()) return from;
  HELVE_ASSIGN(const JsonValue json, parse_json(text));
  const auto word = [&](std::string_view key) {
    const JsonValue* value = json.find(key);
    return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
  };
  from.run = word("run");
  from.verdict = word("verdict");
  from.evidence = word("evidence");
  from.query_hash = word("query_hash");
  if (const JsonValue* step = json.find("step")) from.step = step->to_int64();
  return from;
}

}  // namespace

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

WallTime time_of(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

Result<StoredItem> read_row(const sqlite::StoreStatement& row) {
  StoredItem stored;
  Item& item = stored.item;
  stored.row = row.integer(0);
  item.id = row.text(1);
  const std::int64_t src = row.integer(2);
  if (src < 0 || src >= static_cast<std::int64_t>(kItemSources)) return unreadable(item.id);
  item.src = static_cast<ItemSource>(src);
  item.scope = row.integer(3) == 0 ? ItemScope::General : ItemScope::Exception;
  item.quarantined = row.integer(4) != 0;
  item.superseded_by = row.text(5);
  item.retracted_at = time_at(row, 6);
  item.domain = row.text(7);
  item.tags = tags_of(row.text(8));
  item.counters = {count_at(row, 9), count_at(row, 10), count_at(row, 11)};
  item.created_at = time_of(row.integer(12));
  item.last_used_at = time_at(row, 13);
  item.verified_at = time_at(row, 14);
  item.title = row.text(15);
  item.desc = row.text(16);
  item.content = row.text(17);
  item.schema_fingerprint = row.text(18);
  auto provenance = provenance_of(row.text(19));
  if (!provenance) return unreadable(item.id);
  item.provenance = *std::move(provenance);
  return stored;
}

}  // namespace helve::memory
