// Records of audit files as people and programs see them; audit_command.cc chooses which.
#pragma once

#include <string>

#include "surfaces/cli/terminal.h"
#include "toolkit/audit/search.h"

namespace helve::cli {

// One line, harmless on a terminal; on one that is wide enough for less, the query is cut.
std::string audit_line_text(const JsonValue& record, const Terminal& terminal);

// One line for what is no record.
std::string broken_audit_line(std::string_view where, bool is_json, const Terminal& terminal);

}  // namespace helve::cli
