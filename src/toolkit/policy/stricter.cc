// Two policies as one: unrestricted_policy(), stricter().
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/ascii.h"
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
  both.max_rows = std::min(a.max_rows, b.max_rows);
  both.rows_stored_max = std::min(a.rows_stored_max, b.rows_stored_max);
  both.bytes_stored_max = std::min(a.bytes_stored_max, b.bytes_stored_max);
  both.max_chars = std::min(a.max_chars, b.max_chars);
  both.timeout_max = std::min(a.timeout_max, b.timeout_max);
  both.memory_bytes_max = std::min(a.memory_bytes_max, b.memory_bytes_max);
  both.allowed_graphs = meet(a.allowed_graphs, b.allowed_graphs, meet_texts);
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
  policy.max_rows = UINT64_MAX;
  policy.rows_stored_max = UINT64_MAX;
  policy.bytes_stored_max = SIZE_MAX;
  policy.max_chars = SIZE_MAX;
  policy.timeout_max = Duration::max();
  policy.memory_bytes_max = SIZE_MAX;
  policy.leaves_endpoints = true;
  return policy;
}

bool allows_source(const Policy& policy, std::string_view name) {
  return !policy.allowed_sources ||
         std::find(policy.allowed_sources->begin(), policy.allowed_sources->end(), name) !=
             policy.allowed_sources->end();
}

}  // namespace helve::toolkit
