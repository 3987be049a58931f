#include "toolkit/audit/record_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/redaction.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kQueryBytesMax = 16 * kKiB;  // the hash stands for the rest
constexpr std::size_t kNameBytesMax = 512;
constexpr std::size_t kTornBytesShown = kKiB;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view first_bytes(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && is_inside_character(text[end])) --end;
  return text.substr(0, end);
}

std::string_view first_characters(std::string_view text, std::size_t characters_max) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_inside_character(text[i]) && ++count > characters_max) return text.substr(0, i);
  }
  // Bytes that are in no character come out as one character each.
  return first_bytes(text, 4 * characters_max);
}

template <typename WriteMembers>
std::string members(const WriteMembers& write_members) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_members(json);
  json.end_object();
  text.pop_back();
  text.erase(0, 1);
  return text;
}

void put(JsonWriter& json, std::string_view name, std::string_view text) {
  json.member(name, first_bytes(text, kNameBytesMax));
}

void put_if_there(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) put(json, name, text);
}

void put_snapshot(JsonWriter& json, std::string_view name,
                  const std::optional<AuditSnapshot>& snapshot) {
  if (!snapshot) return;
  json.key(name);
  json.begin_object();
  put(json, "handle", snapshot->handle);
  put(json, "hash", snapshot->hash);
  json.end_object();
}

void put_write(JsonWriter& json, const AuditRecord& record) {
  put_if_there(json, "call_id", record.call_id);
  put_if_there(json, "transaction", record.transaction);
  if (record.estimated) json.member("estimated", *record.estimated);
  if (record.affected) json.member("affected", *record.affected);
  put_if_there(json, "confirmation", record.confirmation);
  put_snapshot(json, "before", record.before);
  put_snapshot(json, "after", record.after);
}

// Names that are the same once they are written are one; the first of them counts.
void put_lineage(JsonWriter& json, const AuditRecord& record) {
  if (record.lineage.empty()) return;
  json.key("lineage");
  json.begin_object();
  std::vector<std::string> written;
  for (const auto& [raw_name, raw_value] : record.lineage) {
    if (written.size() == kAuditLineageMax) break;
    const std::string name(first_characters(redact(raw_name), kAuditLineageChars));
    std::string as_written;
    append_json_string(as_written, name);
    if (std::find(written.begin(), written.end(), as_written) != written.end()) continue;
    written.push_back(std::move(as_written));
    json.member(name, first_characters(redact(raw_value), kAuditLineageChars));
  }
  json.end_object();
}

void put_query(JsonWriter& json, const AuditRecord& record, bool is_fingerprints) {
  put(json, "query_hash", record.query_hash);
  put_if_there(json, "query_sha256", record.query_sha256);
  if (is_fingerprints) return;
  // Cut behind redacting: half of a secret would not be seen as one.
  json.member("query", first_bytes(redact(record.query), kQueryBytesMax));
  if (record.query.size() > kQueryBytesMax) json.member("query_bytes", record.query.size());
}

void begin(JsonWriter& json, std::string_view kind, WallTime at) {
  json.member("kind", kind);
  json.member("at", audit_time(at));
}

}  // namespace

std::string audit_time(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(whole), ms);
}

std::string record_text(const AuditRecord& record, bool is_fingerprints) {
  return members([&](JsonWriter& json) {
    begin(json, name_of(record.kind), record.at);
    put(json, "identity", record.identity);
    put(json, "session", record.session);
    put(json, "tool", redact(first_bytes(record.tool, kNameBytesMax)));
    put(json, "source", record.source);
    const bool is_event = record.kind == AuditKind::Event;  // which has no call of its own
    put_query(json, record, is_fingerprints || is_event);
    put(json, "verdict", record.verdict);
    put_if_there(json, "rule", record.rule);
    put_if_there(json, "reason", record.reason);
    if (!is_event) {
      json.member("rows", record.rows);
      json.member("reply_chars", record.reply_chars);
      json.member("ms", record.ms);
    }
    put_write(json, record);
    put_lineage(json, record);
  });
}

std::string header_text(WallTime at, std::string_view key_id) {
  return members([&](JsonWriter& json) {
    begin(json, "header", at);
    json.member("format", "helve audit");
    json.member("keyed", !key_id.empty());
    if (!key_id.empty()) json.member("key_id", key_id);
  });
}

std::string recovered_text(WallTime at, std::string_view torn) {
  return members([&](JsonWriter& json) {
    begin(json, "recovered", at);
    json.member("reason", "a torn record was set aside");
    json.member("bytes", torn.size());
    json.member("sha256", digest_hex(DigestKind::Sha256, torn));
    json.member("text", first_bytes(torn, kTornBytesShown));
  });
}

std::string headless_text(WallTime at) {
  return members([&](JsonWriter& json) {
    begin(json, "recovered", at);
    json.member("reason", "the head file was missing");
  });
}

std::string cut_text(WallTime at, std::uint64_t last_seq, std::string_view last_hash) {
  return members([&](JsonWriter& json) {
    begin(json, "cut", at);
    json.member("last_seq", last_seq);
    json.member("last_hash", last_hash);
  });
}

std::string failure_text(WallTime at, std::uint64_t records, std::string_view reason) {
  return members([&](JsonWriter& json) {
    begin(json, "failure", at);
    json.member("records", records);
    put(json, "reason", reason);
  });
}

}  // namespace helve::toolkit
