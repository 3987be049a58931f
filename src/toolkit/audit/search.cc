#include "toolkit/audit/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kTimeForm = "0000-00-00T00:00:00.000";
constexpr std::size_t kBlockBytes = 64 * kKiB;

bool contains(std::string_view text, std::string_view lower_part) {
  const auto is_same = [](char a, char b) { return ascii_lower(a) == b; };
  return std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(), is_same) !=
         text.end();
}

constexpr std::size_t kHashPrefix = 8;

// A hash is asked for by its beginning: any letter stands somewhere in it.
bool is_hash_asked(const JsonValue& value, std::string_view lower_part) {
  const std::string* const hash = value.if_string();
  return hash != nullptr && lower_part.size() >= kHashPrefix && hash->starts_with(lower_part);
}

// Records are some levels deep; parse_json bounds what others write.
bool has_text(const JsonValue& value, std::string_view lower_part) {
  if (const std::string* text = value.if_string()) return contains(*text, lower_part);
  if (const auto* array = value.if_array()) {
    return std::any_of(array->begin(), array->end(),
                       [&](const JsonValue& one) { return has_text(one, lower_part); });
  }
  const auto* object = value.if_object();
  return object != nullptr &&
         std::any_of(object->begin(), object->end(), [&](const JsonMember& member) {
           if (member.key == "query_sha256") return is_hash_asked(member.value, lower_part);
           return member.key != "prev" && member.key != "hash" &&
                  has_text(member.value, lower_part);
         });
}

bool is_asked_tool(const std::string& wanted, const std::string& tool) {
  return tool == wanted || tool.ends_with(" " + wanted);
}

}  // namespace

bool AuditFilter::is_empty() const {
  return caller.empty() && session.empty() && tool.empty() && source.empty() && verdict.empty() &&
         kind.empty() && since.empty() && until.empty() && text.empty();
}

Result<std::string> parse_audit_time(std::string_view text) {
  std::string time(text);
  if (time.ends_with('Z')) time.pop_back();
  if (time.size() > 10 && time[10] == ' ') time[10] = 'T';
  bool is_time = time.size() >= 4 && time.size() <= kTimeForm.size();
  for (std::size_t i = 0; is_time && i < time.size(); ++i) {
    is_time = kTimeForm[i] == '0' ? is_digit(time[i]) : time[i] == kTimeForm[i];
  }
  // Not in the middle of a number.
  is_time = is_time &&
            (time.size() == kTimeForm.size() || time.size() >= 20 || kTimeForm[time.size()] != '0');
  if (is_time) return time;
  return Error{ErrorCode::InvalidInput, fmt::format("\"{}\" is no time", escape_for_terminal(text)),
               "write it as 2026-01-31 or 2026-01-31T12:30, in UTC, or as 30min, 2h: before now"};
}

std::optional<JsonValue> read_audit_record(const AuditLine& line) {
  if (line.is_too_long) return std::nullopt;
  Limits limits;
  limits.json_depth_max = 16;
  auto json = parse_json(line.text, limits);
  if (!json || json->if_object() == nullptr) return std::nullopt;
  return *std::move(json);
}

bool matches(const AuditFilter& filter, const JsonValue& record) {
  const auto is = [&record](const std::string& wanted, std::string_view name) {
    return wanted.empty() || audit_text(record, name) == wanted;
  };
  const std::string at = audit_text(record, "at");
  return is(filter.caller, "identity") && is(filter.session, "session") &&
         is(filter.source, "source") && is(filter.verdict, "verdict") && is(filter.kind, "kind") &&
         (filter.tool.empty() || is_asked_tool(filter.tool, audit_text(record, "tool"))) &&
         (filter.since.empty() || at >= filter.since) &&
         (filter.until.empty() || at.substr(0, filter.until.size()) <= filter.until) &&
         (filter.text.empty() || has_text(record, ascii_lower(std::string_view(filter.text))));
}

std::string audit_text(const JsonValue& record, std::string_view name) {
  const JsonValue* const value = record.find(name);
  const std::string* const text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::uint64_t audit_number(const JsonValue& record, std::string_view name) {
  const JsonValue* const value = record.find(name);
  return value != nullptr ? value->to_uint64().value_or(0) : 0;
}

Result<std::uint64_t> find_last_lines(SharedFile& file, std::uint64_t count) {
  HELVE_ASSIGN(std::uint64_t end, file.size());
  if (count == 0) return end;
  std::string block;
  bool is_last_byte = true;
  while (end > 0) {
    const std::uint64_t begin = end > kBlockBytes ? end - kBlockBytes : 0;
    block.resize(static_cast<std::size_t>(end - begin));
    HELVE_ASSIGN(const std::size_t read, file.read_at(begin, block));
    for (std::size_t i = read; i > 0; --i) {
      const bool is_line_end = block[i - 1] == '\n' && !is_last_byte;
      is_last_byte = false;
      if (is_line_end && --count == 0) return begin + i;
    }
    end = begin;
  }
  return std::uint64_t{0};
}

}  // namespace helve::toolkit
