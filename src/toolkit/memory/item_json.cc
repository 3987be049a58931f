#include "toolkit/memory/item_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utc.h"

namespace helve::memory {

namespace {

void write_time(std::string_view key, const std::optional<WallTime>& time, JsonWriter& json) {
  json.key(key);
  if (time) {
    json.value(to_utc(*time));
  } else {
    json.null();
  }
}

void write_provenance(const Provenance& from, JsonWriter& json) {
  json.key("provenance");
  json.begin_object();
  if (!from.added_by.empty()) json.member("added_by", from.added_by);
  if (!from.run.empty()) json.member("run", from.run);
  if (from.step) json.member("step", *from.step);
  if (!from.verdict.empty()) json.member("verdict", from.verdict);
  if (!from.evidence.empty()) json.member("evidence", from.evidence);
  if (!from.query_hash.empty()) json.member("query_hash", from.query_hash);
  json.end_object();
}

void write_full_part(const Item& item, JsonWriter& json) {
  json.member("scope", name_of(item.scope));
  json.member("domain", item.domain);
  json.member("schema_fingerprint", item.schema_fingerprint);
  write_provenance(item.provenance, json);
  json.key("counters");
  json.begin_object();
  json.member("retrieved", item.counters.retrieved);
  json.member("helped", item.counters.helped);
  json.member("hurt", item.counters.hurt);
  json.end_object();
  write_time("created_at", item.created_at, json);
  write_time("last_used_at", item.last_used_at, json);
  write_time("verified_at", item.verified_at, json);
  json.key("superseded_by");
  if (item.superseded_by.empty()) {
    json.null();
  } else {
    json.value(item.superseded_by);
  }
  json.member("quarantined", item.quarantined);
  write_time("retracted_at", item.retracted_at, json);
}

// Reads the members of one object; the first error stays.
class Reader {
 public:
  Reader(const JsonValue::Object& members, std::string_view inside)
      : members_(members), inside_(inside), is_read_(members.size()) {}

  void text(std::string_view key, std::string& into) {
    const JsonValue* value = find(key);
    if (value == nullptr) return;
    if (const std::string* given = value->if_string()) {
      into = *given;
    } else {
      fail(key, "a text");
    }
  }

  void count(std::string_view key, std::uint64_t& into) {
    const JsonValue* value = find(key);
    if (value == nullptr) return;
    // As far as the bank can count.
    const auto number = value->is_number() ? value->to_int64() : std::nullopt;
    if (number && *number >= 0) {
      into = static_cast<std::uint64_t>(*number);
    } else {
      fail(key, "a whole number that is not negative");
    }
  }

  void flag(std::string_view key, bool& into) {
    const JsonValue* value = find(key);
    if (value == nullptr) return;
    if (const bool* given = value->if_bool()) {
      into = *given;
    } else {
      fail(key, "true or false");
    }
  }

  void time(std::string_view key, std::optional<WallTime>& into) {
    const JsonValue* value = find(key);
    if (value == nullptr) return;
    const std::string* given = value->if_string();
    into = given == nullptr ? std::nullopt : read_utc(*given);
    if (!into) fail(key, "a time such as 2026-01-31T08:05:00Z");
  }

  void texts(std::string_view key, std::vector<std::string>& into) {
    const JsonValue* value = find(key);
    if (value == nullptr) return;
    const JsonValue::Array* list = value->if_array();
    if (list == nullptr) return fail(key, "a list of texts");
    for (const JsonValue& one : *list) {
      const std::string* text = one.if_string();
      if (text == nullptr) return fail(key, "a list of texts");
      into.push_back(*text);
    }
  }

  template <typename T>
  void word(std::string_view key, std::optional<T> (*read)(std::string_view), T& into,
            std::string_view wanted) {
    std::string name;
    text(key, name);
    if (name.empty()) return;
    if (const auto found = read(name)) {
      into = *found;
    } else {
      fail(key, wanted);
    }
  }

  // Null, or the members of the object.
  const JsonValue::Object* object(std::string_view key) {
    const JsonValue* value = find(key);
    if (value == nullptr) return nullptr;
    if (value->if_object() == nullptr) fail(key, "an object");
    return value->if_object();
  }

  // An absent member, or one that is null, is none.
  const JsonValue* find(std::string_view key) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].key != key) continue;
      is_read_[i] = true;
      return members_[i].value.is_null() ? nullptr : &members_[i].value;
    }
    return nullptr;
  }

  void fail(std::string_view key, std::string_view wanted) {
    if (error_) return;
    error_ = Error{ErrorCode::InvalidInput, fmt::format("{}{} is not {}", inside_, key, wanted),
                   "an item is {\"title\", \"desc\", \"content\", \"src\", \"tags\": [...]}"};
  }

  Result<void> finish(std::vector<std::string>& warnings) const {
    if (error_) return *error_;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (is_read_[i]) continue;
      constexpr std::size_t kShown = 40;
      warnings.push_back(fmt::format("'{}{}' is not known and was left out", inside_,
                                     elide_end(escape_for_terminal(members_[i].key), kShown)));
    }
    return {};
  }

 private:
  const JsonValue::Object& members_;
  std::string inside_;
  std::vector<bool> is_read_;
  std::optional<Error> error_;
};

Result<void> read_provenance(const JsonValue::Object& members, Provenance& from,
                             std::vector<std::string>& warnings) {
  Reader reader(members, "provenance: ");
  reader.text("added_by", from.added_by);
  reader.text("run", from.run);
  if (const JsonValue* step = reader.find("step")) {
    from.step = step->is_number() ? step->to_int64() : std::nullopt;
    if (!from.step) reader.fail("step", "a whole number");
  }
  reader.text("verdict", from.verdict);
  reader.text("evidence", from.evidence);
  reader.text("query_hash", from.query_hash);
  return reader.finish(warnings);
}

Result<void> read_counters(const JsonValue::Object& members, Counters& counters,
                           std::vector<std::string>& warnings) {
  Reader reader(members, "counters: ");
  reader.count("retrieved", counters.retrieved);
  reader.count("helped", counters.helped);
  reader.count("hurt", counters.hurt);
  return reader.finish(warnings);
}

Result<void> read_members(const JsonValue::Object& members, ReadItem& read) {
  Item& item = read.item;
  Reader reader(members, "");
  reader.text("id", item.id);
  reader.text("title", item.title);
  reader.text("desc", item.desc);
  reader.text("content", item.content);
  reader.word<ItemSource>("src", source_of, item.src, "one of " + source_names());
  reader.texts("tags", item.tags);
  reader.word<ItemScope>("scope", scope_of, item.scope, "general or exception");
  reader.text("domain", item.domain);
  reader.text("schema_fingerprint", item.schema_fingerprint);
  std::optional<WallTime> created;
  reader.time("created_at", created);
  item.created_at = created.value_or(WallTime{});
  reader.time("last_used_at", item.last_used_at);
  reader.time("verified_at", item.verified_at);
  reader.time("retracted_at", item.retracted_at);
  reader.text("superseded_by", item.superseded_by);
  reader.flag("quarantined", item.quarantined);
  if (const auto* inner = reader.object("provenance")) {
    HELVE_TRY(read_provenance(*inner, item.provenance, read.warnings));
  }
  if (const auto* inner = reader.object("counters")) {
    HELVE_TRY(read_counters(*inner, item.counters, read.warnings));
  }
  return reader.finish(read.warnings);
}

}  // namespace

void write_item(const Item& item, ItemForm form, JsonWriter& json) {
  json.begin_object();
  json.member("id", item.id);
  json.member("title", item.title);
  json.member("desc", item.desc);
  json.member("content", item.content);
  json.member("src", name_of(item.src));
  json.key("tags");
  json.begin_array();
  for (const std::string& tag : item.tags) json.value(tag);
  json.end_array();
  if (form == ItemForm::Full) write_full_part(item, json);
  json.end_object();
}

std::string to_json(const Item& item, ItemForm form, JsonStyle style) {
  std::string text;
  JsonWriter json(text, style);
  write_item(item, form, json);
  return text;
}

Result<ReadItem> read_item(const JsonValue& json, const ItemLimits& limits) {
  const JsonValue::Object* members = json.if_object();
  if (members == nullptr) {
    return Error{ErrorCode::InvalidInput, "the item is no object",
                 "an item is {\"title\", \"desc\", \"content\", \"src\", \"tags\": [...]}"};
  }
  ReadItem read;
  HELVE_TRY(read_members(*members, read));
  HELVE_TRY(check_item(read.item, limits));
  std::string id = id_of(read.item);
  if (!read.item.id.empty() && read.item.id != id) {
    read.warnings.push_back(fmt::format("the id is {}: it is that of title and content", id));
  }
  read.item.id = std::move(id);
  return read;
}

}  // namespace helve::memory
