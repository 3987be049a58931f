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

// Denied where the tool is not among the allowed ones, or writes while the policy is read-only.
Result<void> check_call(const Policy& policy, std::string_view tool, bool is_writing);
bool may_call(const Policy& policy, std::string_view tool, bool is_writing);

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
