#include "toolkit/policy/policy_rules.h"

#include <filesystem>
#include <system_error>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/text.h"

namespace helve::toolkit::policy_rules {

namespace {

// With links followed: a folder that lies in another by its name may lead out of it.
std::optional<std::filesystem::path> real_path(const std::string& text) {
  std::error_code failed;
  const auto complete = std::filesystem::absolute(text, failed);
  if (failed) return std::nullopt;
  auto path = std::filesystem::weakly_canonical(complete, failed);
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

}  // namespace

Error must_be(std::string_view key, std::string_view expected) {
  return {ErrorCode::InvalidInput, fmt::format("policy: \"{}\" must be {}", key, expected),
          "an unreadable policy is never replaced by a default: fix it or leave the key out"};
}

Result<Names> read_names(const JsonMember& member, CheckNames check) {
  const JsonValue::Array* array = member.value.if_array();
  if (array == nullptr) return must_be(member.key, "a list of texts");
  Names names;
  for (const JsonValue& item : *array) {
    const std::string* text = item.if_string();
    if (text == nullptr || text->empty()) return must_be(member.key, "a list of texts, none empty");
    names.push_back(*text);
  }
  HELVE_TRY(check(member.key, names));
  return names;
}

Result<void> any_names(std::string_view /*key*/, const Names& /*names*/) { return {}; }

// Patterns would be taken for names, and deny nothing.
Result<void> check_tables(std::string_view key, const Names& names) {
  for (const std::string& name : names) {
    const bool is_pattern = name.find_first_of("*%?") != std::string::npos;
    const bool is_long =
        std::count(name.begin(), name.end(), '.') > (key.ends_with("columns") ? 2 : 1);
    if (!is_pattern && !is_long) continue;
    return must_be(key,
                   "a list of names as the database has them, with their schema at most: there "
                   "are no patterns");
  }
  return {};
}

Result<void> check_columns(std::string_view key, const Names& names) {
  HELVE_TRY(check_tables(key, names));
  for (const std::string& name : names) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) {
      return must_be(key, "a list of columns with their tables: \"customer.email\"");
    }
  }
  return {};
}

Result<void> check_graphs(std::string_view key, const Names& names) {
  for (const std::string& graph : names) {
    if (has_iri_scheme(graph) && !find_bad_iri_character(graph)) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("policy: {}: \"{}\" is not an IRI", key, escape_for_terminal(graph)),
                 "write full IRIs, such as http://example.org/graph, without < and > and prefixes"};
  }
  return {};
}

bool contains_name(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names common_names(const Names& a, const Names& b) {
  Names both = a;
  std::erase_if(both, [&b](const std::string& name) { return !contains_name(b, name); });
  return both;
}

// Without case. "customer" and "sales.customer" have nothing in common: only the database knows
// which schema is meant, and what is not sure is not allowed.
Names common_tables(const Names& a, const Names& b) {
  Names both = a;
  std::erase_if(both, [&b](const std::string& name) {
    return std::none_of(b.begin(), b.end(),
                        [&](const std::string& other) { return is_same_in_any_case(name, other); });
  });
  return both;
}

Names common_folders(const Names& a, const Names& b) {
  Names both;
  const auto add = [&both](const std::string& folder) {
    if (!contains_name(both, folder)) both.push_back(folder);
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

}  // namespace helve::toolkit::policy_rules
