#include "surfaces/cli/audit_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

namespace {

using toolkit::audit_number;
using toolkit::audit_text;

using Part = std::pair<Style, std::string>;

void add(std::vector<Part>& parts, Style style, std::string_view text) {
  if (!text.empty()) parts.emplace_back(style, escape_for_terminal(text));
}

Style style_of(std::string_view verdict) {
  if (verdict == "ok") return Style::Good;
  const bool is_open = verdict == "asked" || verdict == "unanswered" || verdict == "rolled_back";
  return is_open ? Style::Warning : Style::Error;
}

std::string number_text(const JsonValue& record, std::string_view name, std::string_view noun) {
  const JsonValue* const value = record.find(name);
  if (value == nullptr || !value->to_uint64()) return "";
  return fmt::format("{} {}", format_count(*value->to_uint64()), noun);
}

void add_call_parts(std::vector<Part>& parts, const JsonValue& record) {
  const std::string session = audit_text(record, "session");
  const std::string verdict = audit_text(record, "verdict");
  add(parts, Style::Plain, audit_text(record, "identity") + (session.empty() ? "" : "/" + session));
  add(parts, Style::Accent, audit_text(record, "tool"));
  add(parts, Style::Plain, audit_text(record, "source"));
  if (const std::string kind = audit_text(record, "kind"); kind != "call") {
    add(parts, Style::Warning, kind);
  }
  add(parts, style_of(verdict), verdict);
  if (const std::string rule = audit_text(record, "rule"); !rule.empty()) {
    add(parts, Style::Error, "by " + rule);
  }
  add(parts, Style::Plain, audit_text(record, "reason"));
  if (audit_number(record, "rows") > 0) {
    add(parts, Style::Plain, count_of(audit_number(record, "rows"), "row"));
  }
  add(parts, Style::Plain, number_text(record, "estimated", "estimated"));
  add(parts, Style::Plain, number_text(record, "affected", "affected"));
  if (const std::string how = audit_text(record, "confirmation"); !how.empty()) {
    add(parts, Style::Plain, "confirmation: " + how);
  }
  if (const JsonValue* ms = record.find("ms"); ms != nullptr && ms->to_double()) {
    add(parts, Style::Dim, fmt::format("{:.1f} ms", *ms->to_double()));
  }
}

void add_about_file(std::vector<Part>& parts, const JsonValue& record) {
  const std::string kind = audit_text(record, "kind");
  add(parts, kind == "header" ? Style::Dim : Style::Warning, kind.empty() ? "?" : kind);
  add(parts, Style::Dim, number_text(record, "records", "calls refused"));
  add(parts, Style::Dim, audit_text(record, "reason"));
  if (kind == "header") {
    const std::string key_id = audit_text(record, "key_id");
    add(parts, Style::Dim, key_id.empty() ? "not keyed" : "key " + key_id);
  }
  if (kind == "cut") {
    add(parts, Style::Dim, fmt::format("removed up to #{}", audit_number(record, "last_seq")));
  }
}

}  // namespace

std::string audit_line_text(const JsonValue& record, const Terminal& terminal) {
  std::vector<Part> parts;
  add(parts, Style::Dim, audit_text(record, "at"));
  add(parts, Style::Dim, fmt::format("#{}", audit_number(record, "seq")));
  const std::string kind = audit_text(record, "kind");
  const bool is_call = kind == "call" || kind == "intent" || kind == "event";
  if (is_call) {
    add_call_parts(parts, record);
  } else {
    add_about_file(parts, record);
  }
  std::string out;
  std::size_t width = 0;
  for (const auto& [style, text] : parts) {
    if (!out.empty()) out += "  ";
    out += terminal.styled(style, text);
    width += display_width(text) + 2;
  }
  std::string query = is_call ? escape_for_terminal(audit_text(record, "query")) : "";
  if (terminal.is_interactive() && !query.empty()) {
    constexpr std::size_t kLeast = 20;
    const std::size_t left = terminal.width() > width ? terminal.width() - width : 0;
    query = elide_end(query, std::max(left, kLeast));
  }
  if (!query.empty()) out += "  " + query;
  return out + '\n';
}

std::string broken_audit_line(std::string_view where, bool is_json, const Terminal& terminal) {
  if (!is_json) {
    return terminal.styled(Style::Warning, escape_for_terminal(where) + ": not a record") + '\n';
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("where", where);
  json.member("error", "not a record");
  json.end_object();
  return out + '\n';
}

}  // namespace helve::cli
