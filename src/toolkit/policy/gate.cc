#include "toolkit/policy/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

namespace helve::toolkit {

namespace {

namespace fs = std::filesystem;

std::string list_names(const auto& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count == kShown) return text + ", ...";
    text += (count++ == 0 ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

// Whether `path` is `folder` or lies in it, by whole names. Both are canonical.
bool is_within(const fs::path& path, const fs::path& folder) {
  const auto [at_folder, at_path] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at_folder == folder.end();
}

// The path with all links followed; the end of it need not exist. A link that leads nowhere is not
// resolved: whatever comes to be there later was never looked at.
std::optional<fs::path> resolved(const std::string& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(fs::absolute(path, failed), failed);
  if (failed || fs::is_symlink(fs::symlink_status(real, failed))) return std::nullopt;
  return real;
}

}  // namespace

std::string_view rule_against(const Policy& policy, const ToolNature& tool) {
  if (policy.allowed_tools && !policy.allowed_tools->contains(std::string(tool.name))) {
    return "allowed_tools";
  }
  if ((tool.is_writing || tool.is_defining) && policy.read_only) return "read_only";
  if (tool.is_defining && !policy.allow_ddl) return "allow_ddl";
  if (tool.is_memory_writing && !policy.memory_writes) return "memory_writes";
  return {};
}

Result<void> check_call(const Policy& policy, const ToolNature& tool) {
  const std::string_view rule = rule_against(policy, tool);
  if (rule.empty()) return {};
  if (rule == "allowed_tools") {
    return Error{ErrorCode::Denied, fmt::format("the policy does not allow the tool {}", tool.name),
                 fmt::format("allowed: {}", list_names(*policy.allowed_tools))};
  }
  if (rule == "read_only") {
    return Error{ErrorCode::Denied,
                 fmt::format("{} changes data, and the policy is read-only", tool.name),
                 "a policy with \"read_only\": false would allow it"};
  }
  if (rule == "memory_writes") {
    return Error{
        ErrorCode::Denied,
        fmt::format("{} writes the memory bank, and the policy does not allow that", tool.name),
        "a policy with \"memory_writes\": true would allow it"};
  }
  return Error{ErrorCode::Denied,
               fmt::format("{} changes tables, and the policy does not allow that", tool.name),
               "a policy with \"allow_ddl\": true would allow it"};
}

bool may_call(const Policy& policy, const ToolNature& tool) {
  return rule_against(policy, tool).empty();
}

Duration clamp_timeout(const Policy& policy, Duration asked) {
  return std::clamp(asked, Duration(1), policy.timeout_max);
}

std::size_t clamp_chars(const Policy& policy, std::size_t asked) {
  return std::min(asked, policy.max_chars);
}

std::uint64_t clamp_rows(const Policy& policy, std::uint64_t asked) {
  return std::min(asked, policy.max_rows);
}

std::uint64_t clamp_rows_stored(const Policy& policy, std::uint64_t asked) {
  return std::min(asked, policy.rows_stored_max);
}

std::size_t clamp_memory(const Policy& policy, std::size_t asked) {
  return std::min(asked, policy.memory_bytes_max);
}

Result<fs::path> check_path(const Policy& policy, const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return Error{ErrorCode::InvalidInput, "a path must have a text, without a zero byte in it",
                 "give the path of a file or an index folder"};
  }
  if (!policy.allowed_paths) return fs::path(path);
  if (const auto real = resolved(path)) {
    for (const std::string& allowed : *policy.allowed_paths) {
      std::error_code absent;
      const fs::path folder = fs::canonical(allowed, absent);
      if (!absent && is_within(*real, folder)) return *real;
    }
  }
  return Error{
      ErrorCode::Denied, fmt::format("the policy does not allow reading \"{}\"", path),
      fmt::format("allowed folders: {}; an operator can allow one with --allow-path DIR, or "
                  "allowed_paths in the policy",
                  list_names(*policy.allowed_paths))};
}

}  // namespace helve::toolkit
