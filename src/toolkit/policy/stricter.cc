// Two policies as one: unrestricted_policy(), stricter().
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/ascii.h"
#include "sources/table_rules.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

namespace {

using Texts = std::vector<std::string>;

Texts common(Texts a, const Texts& b) {
  std::erase_if(
      a, [&b](const std::string& text) { return std::find(b.begin(), b.end(), text) == b.end(); });
  return a;
}

Texts all_of(Texts a, const Texts& b) {
  for (const std::string& text : b) {
    if (std::find(a.begin(), a.end(), text) == a.end()) a.push_back(text);
  }
  return a;
}

// Names without case. "customer" and "sales.customer" do not meet: which schema is meant is for the
// database to say, and what is not sure is not allowed.
Texts common_tables(const Texts& a, const Texts& b) {
  Texts both;
  for (const std::string& one : a) {
    const bool is_there = std::any_of(b.begin(), b.end(), [&](const std::string& other) {
      return is_same_in_any_case(one, other);
    });
    if (is_there) both.push_back(one);
  }
  return both;
}

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

// With links followed: a folder that lies in another by its name may be a way out of it.
std::optional<std::filesystem::path> real_path(const std::string& text) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(text, failed);
  if (failed) return std::nullopt;
  auto path = std::filesystem::weakly_canonical(whole, failed);
  if (failed) return std::nullopt;
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path;
}

bool lies_in(const std::string& inner, const std::string& outer) {
  if (inner == outer) return true;
  const auto path = real_path(inner);
  const auto folder = real_path(outer);
  if (!path || !folder) return false;
  return std::mismatch(folder->begin(), folder->end(), path->begin(), path->end()).first ==
         folder->end();
}

// Folders in which one may read by both.
Texts common_folders(const Texts& a, const Texts& b) {
  Texts both;
  const auto add = [&both](const std::string& folder) {
    if (std::find(both.begin(), both.end(), folder) == both.end()) both.push_back(folder);
  };
  for (const std::string& one : a) {
    for (const std::string& other : b) {
      if (lies_in(one, other)) {
        add(one);
      } else if (lies_in(other, one)) {
        add(other);
      }
    }
  }
  return both;
}

// One that asks for records wins over one that wants none, and the one that keeps less of a text
// over the other.
std::optional<AuditMode> both_audits(std::optional<AuditMode> a, std::optional<AuditMode> b) {
  if (!a || !b) return a ? a : b;
  if (*a == AuditMode::Off || *b == AuditMode::Off) return std::max(*a, *b);
  return std::min(*a, *b);
}

template <typename List, typename Meet>
std::optional<List> meet(const std::optional<List>& a, const std::optional<List>& b, Meet both) {
  if (!a) return b;
  if (!b) return a;
  return both(*a, *b);
}

}  // namespace

Policy stricter(const Policy& a, const Policy& b) {
  const auto meet_texts = [](const Texts& x, const Texts& y) { return common(x, y); };
  Policy both;
  both.read_only = a.read_only || b.read_only;
  both.allow_ddl = a.allow_ddl && b.allow_ddl;
  both.require_confirmation = std::max(a.require_confirmation, b.require_confirmation);
  both.max_affected_rows = std::min(a.max_affected_rows, b.max_affected_rows);
  both.snapshot_rows = std::min(a.snapshot_rows, b.snapshot_rows);
  both.audit = both_audits(a.audit, b.audit);
  both.max_rows = std::min(a.max_rows, b.max_rows);
  both.rows_stored_max = std::min(a.rows_stored_max, b.rows_stored_max);
  both.bytes_stored_max = std::min(a.bytes_stored_max, b.bytes_stored_max);
  both.max_chars = std::min(a.max_chars, b.max_chars);
  both.timeout_max = std::min(a.timeout_max, b.timeout_max);
  both.memory_bytes_max = std::min(a.memory_bytes_max, b.memory_bytes_max);
  both.allowed_graphs = meet(a.allowed_graphs, b.allowed_graphs, meet_texts);
  both.denied_graphs = all_of(a.denied_graphs, b.denied_graphs);
  both.denied_endpoints = all_of(a.denied_endpoints, b.denied_endpoints);
  both.allowed_columns = meet(a.allowed_columns, b.allowed_columns, common_columns);
  both.allowed_tables = meet(a.allowed_tables, b.allowed_tables, common_tables);
  both.denied_tables = all_of(a.denied_tables, b.denied_tables);
  both.denied_columns = all_of(a.denied_columns, b.denied_columns);
  both.allowed_sources = meet(a.allowed_sources, b.allowed_sources, meet_texts);
  both.allowed_paths = meet(a.allowed_paths, b.allowed_paths, common_folders);
  both.allowed_tools = meet(a.allowed_tools, b.allowed_tools,
                            [](const auto& x, const auto& y) { return common(x, y); });
  both.leaves_endpoints = a.leaves_endpoints && b.leaves_endpoints;
  if (a.leaves_endpoints) {
    both.allowed_endpoints = b.allowed_endpoints;
  } else if (b.leaves_endpoints) {
    both.allowed_endpoints = a.allowed_endpoints;
  } else {
    both.allowed_endpoints = common(a.allowed_endpoints, b.allowed_endpoints);
  }
  return both;
}

Policy unrestricted_policy() {
  Policy policy;
  policy.read_only = false;
  policy.allow_ddl = true;
  policy.require_confirmation = Confirmation::None;
  policy.max_affected_rows = UINT64_MAX;
  policy.snapshot_rows = UINT64_MAX;
  policy.max_rows = UINT64_MAX;
  policy.rows_stored_max = UINT64_MAX;
  policy.bytes_stored_max = SIZE_MAX;
  policy.max_chars = SIZE_MAX;
  policy.timeout_max = Duration::max();
  policy.memory_bytes_max = SIZE_MAX;
  policy.leaves_endpoints = true;
  return policy;
}

}  // namespace helve::toolkit
