#include "toolkit/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/iri.h"
#include "base/near_names.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

// What can be written at most.
constexpr std::uint64_t kRowsMax = 1'000'000;
constexpr std::uint64_t kRowsStoredMax = 1'000'000'000;
constexpr std::uint64_t kBytesStoredMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kCharsMax = 1'000'000;
constexpr std::uint64_t kMemoryBytesMax = std::uint64_t{1} << 44;
constexpr double kSecondsMax = 86'400;

Error wrong(std::string_view key, std::string_view expected) {
  return {ErrorCode::InvalidInput, fmt::format("policy: \"{}\" must be {}", key, expected),
          "an unreadable policy is never replaced by a default: mend it or leave the key out"};
}

Result<void> read_flag(const JsonMember& member, bool& into) {
  const bool* flag = member.value.if_bool();
  if (flag == nullptr) return wrong(member.key, "true or false");
  into = *flag;
  return {};
}

template <typename Number>
Result<void> read_number(const JsonMember& member, Number& into, std::uint64_t min,
                         std::uint64_t max) {
  const auto number = member.value.to_uint64();
  if (!number || *number < min || *number > max) {
    return wrong(member.key, fmt::format("a whole number from {} to {}", min, max));
  }
  into = static_cast<Number>(*number);
  return {};
}

Result<std::vector<std::string>> read_texts(const JsonMember& member) {
  const JsonValue::Array* array = member.value.if_array();
  if (array == nullptr) return wrong(member.key, "a list of texts");
  std::vector<std::string> texts;
  for (const JsonValue& item : *array) {
    const std::string* text = item.if_string();
    if (text == nullptr || text->empty()) return wrong(member.key, "a list of texts, none empty");
    texts.push_back(*text);
  }
  return texts;
}

Result<void> read_timeout(const JsonMember& member, Duration& into) {
  const auto seconds = member.value.to_double();
  if (!seconds || !(*seconds > 0) || *seconds > kSecondsMax) {
    return wrong(member.key, "a number of seconds above 0, at most 86400");
  }
  into = Duration(std::llround(*seconds * 1e9));
  return {};
}

Result<void> read_columns(std::vector<std::string> texts, Policy& policy) {
  for (const std::string& text : texts) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) {
      return wrong("denied_columns", "a list of columns with their tables: \"customer.email\"");
    }
  }
  policy.denied_columns = std::move(texts);
  return {};
}

Result<void> read_list(const JsonMember& member, Policy& policy) {
  HELVE_ASSIGN(auto texts, read_texts(member));
  if (member.key == "allowed_tools") {
    policy.allowed_tools = std::set<std::string>(texts.begin(), texts.end());
  } else if (member.key == "allowed_graphs") {
    for (const std::string& graph : texts) {
      if (has_iri_scheme(graph) && !find_bad_iri_character(graph)) continue;
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("policy: allowed_graphs: \"{}\" is no IRI", escape_for_terminal(graph)),
          "write whole IRIs, as http://example.org/graph, without < and > and prefixes"};
    }
    policy.allowed_graphs = std::move(texts);
  } else if (member.key == "allowed_tables") {
    policy.allowed_tables = std::move(texts);
  } else if (member.key == "denied_tables") {
    policy.denied_tables = std::move(texts);
  } else if (member.key == "denied_columns") {
    return read_columns(std::move(texts), policy);
  } else if (member.key == "allowed_endpoints") {
    policy.allowed_endpoints = std::move(texts);
    policy.leaves_endpoints = false;
  } else if (member.key == "allowed_sources") {
    policy.allowed_sources = std::move(texts);
  } else {
    policy.allowed_paths = std::move(texts);
  }
  return {};
}

Error unknown_key(std::string_view key) {
  static const std::vector<std::string_view> known = {
      "read_only",         "max_rows",         "rows_stored_max", "bytes_stored_max",
      "max_chars",         "memory_bytes_max", "timeout",         "allowed_graphs",
      "allowed_endpoints", "allowed_tools",    "allowed_paths",   "allowed_sources",
      "allowed_tables",    "denied_tables",    "denied_columns"};
  const auto near = near_names(key, known);
  return {ErrorCode::InvalidInput, fmt::format("policy: unknown key \"{}\"", key),
          near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                       : fmt::format("did you mean {}?", near.front())};
}

Result<void> read_member(const JsonMember& member, Policy& policy) {
  const std::string& key = member.key;
  if (key == "read_only") return read_flag(member, policy.read_only);
  if (key == "max_rows") return read_number(member, policy.max_rows, 1, kRowsMax);
  if (key == "rows_stored_max") {
    return read_number(member, policy.rows_stored_max, 1, kRowsStoredMax);
  }
  if (key == "bytes_stored_max") {
    return read_number(member, policy.bytes_stored_max, 1'024, kBytesStoredMax);
  }
  if (key == "max_chars") return read_number(member, policy.max_chars, 200, kCharsMax);
  if (key == "memory_bytes_max") {
    return read_number(member, policy.memory_bytes_max, 1 << 20, kMemoryBytesMax);
  }
  if (key == "timeout") return read_timeout(member, policy.timeout_max);
  for (const char* known :
       {"allowed_graphs", "allowed_endpoints", "allowed_tools", "allowed_paths", "allowed_sources",
        "allowed_tables", "denied_tables", "denied_columns"}) {
    if (key == known) return read_list(member, policy);
  }
  return unknown_key(key);
}

}  // namespace

Result<Policy> policy_from_json(const JsonValue& json, Policy base) {
  const JsonValue::Object* object = json.if_object();
  if (object == nullptr) {
    return Error{ErrorCode::InvalidInput, "a policy is a JSON object",
                 R"(for example {"max_rows": 1000, "timeout": 30})"};
  }
  for (const JsonMember& member : *object) HELVE_TRY(read_member(member, base));
  return base;
}

}  // namespace helve::toolkit
