// Looking for records: which ones are meant, and how one is read. The command line shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "toolkit/audit/lines.h"

namespace helve::toolkit {

// Empty texts ask for nothing. Times are the starts of "2026-01-31T12:30:00.000Z".
struct AuditFilter {
  std::string caller;
  std::string session;
  std::string tool;  // also one that call_tool called
  std::string source;
  std::string verdict;
  std::string kind;
  std::string since;
  std::string until;  // inclusive: "2026-01" is the whole month
  std::string text;   // in any text of the record, without regard to the case of ASCII letters

  bool is_empty() const;
};

// A time as people write it: "2026-01-31", "2026-01-31T12:30", "2026-01-31 12:30:05", with or
// without Z, in UTC. InvalidInput for anything else.
Result<std::string> parse_audit_time(std::string_view text);

// The record of a line, or nullopt for what is none.
std::optional<JsonValue> read_audit_record(const AuditLine& line);

bool matches(const AuditFilter& filter, const JsonValue& record);

// "" and 0 where there is no such member.
std::string audit_text(const JsonValue& record, std::string_view name);
std::uint64_t audit_number(const JsonValue& record, std::string_view name);

// Where the last `count` lines begin; a last one without an end counts.
Result<std::uint64_t> find_last_lines(SharedFile& file, std::uint64_t count);

}  // namespace helve::toolkit
