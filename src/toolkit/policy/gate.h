// Gate: what the middleware asks of a policy before a tool runs. restricted_source.h holds what
// the tool may see of a graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// What a tool does that a policy may not allow.
struct ToolNature {
  std::string_view name;
  bool is_writing = false;
  bool is_defining = false;        // changes definitions of tables
  bool is_memory_writing = false;  // writes the memory bank
};

// Denied if the tool is not allowed, writes a source under a read-only policy, changes definitions
// without allow_ddl, or writes the memory bank without memory_writes.
Result<void> check_call(const Policy& policy, const ToolNature& tool);
bool may_call(const Policy& policy, const ToolNature& tool);
// The key of the policy that stands against the call; empty: none.
std::string_view rule_against(const Policy& policy, const ToolNature& tool);

// What was asked for, no more than the policy grants.
Duration clamp_timeout(const Policy& policy, Duration asked);
std::size_t clamp_chars(const Policy& policy, std::size_t asked);
std::uint64_t clamp_rows(const Policy& policy, std::uint64_t asked);
std::uint64_t clamp_rows_stored(const Policy& policy, std::uint64_t asked);
std::size_t clamp_memory(const Policy& policy, std::size_t asked);

// The file that may be read for `path`. Open what comes back, not what was asked for: links and
// ".." are resolved in it. Denied where it leads out of the allowed folders, whether or not
// anything is there.
Result<std::filesystem::path> check_path(const Policy& policy, const std::string& path);

}  // namespace helve::toolkit
