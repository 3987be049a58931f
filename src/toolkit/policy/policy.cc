#include "toolkit/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/iri.h"
#include "base/near_names.h"
#include "base/text.h"
#include "toolkit/policy/policy_keys.h"

namespace helve::toolkit {

namespace {

// What can be written at most.
constexpr std::uint64_t kRowsMax = 1'000'000;
constexpr std::uint64_t kRowsStoredMax = 1'000'000'000;
constexpr std::uint64_t kBytesStoredMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kSnapshotRowsMax = 10'000;
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

// Patterns would be taken for names, and deny nothing.
Result<void> check_table_names(std::string_view key, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const bool is_pattern = text.find_first_of("*%?") != std::string::npos;
    const bool is_long =
        std::count(text.begin(), text.end(), '.') > (key.ends_with("columns") ? 2 : 1);
    if (!is_pattern && !is_long) continue;
    return wrong(key,
                 "a list of names as the database has them, with their schema at most: there "
                 "are no patterns");
  }
  return {};
}

Result<void> check_columns(std::string_view key, const std::vector<std::string>& texts) {
  HELVE_TRY(check_table_names(key, texts));
  for (const std::string& text : texts) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) {
      return wrong(key, "a list of columns with their tables: \"customer.email\"");
    }
  }
  return {};
}

Result<void> check_graphs(std::string_view key, const std::vector<std::string>& texts) {
  for (const std::string& graph : texts) {
    if (has_iri_scheme(graph) && !find_bad_iri_character(graph)) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("policy: {}: \"{}\" is no IRI", key, escape_for_terminal(graph)),
                 "write whole IRIs, as http://example.org/graph, without < and > and prefixes"};
  }
  return {};
}

// Truths are words too: true is the common one.
template <typename Word>
Result<Word> read_word(const JsonMember& member, Word if_true, Word if_false,
                       std::initializer_list<Word> words, std::string_view expected) {
  if (const bool* flag = member.value.if_bool()) return *flag ? if_true : if_false;
  if (const std::string* text = member.value.if_string()) {
    for (const Word word : words) {
      if (name_of(word) == *text) return word;
    }
  }
  return wrong(member.key, expected);
}

Result<void> read_confirmation(const JsonMember& member, Policy& policy) {
  HELVE_ASSIGN(policy.require_confirmation, read_word(member, Confirmation::Any, Confirmation::None,
                                                      {Confirmation::Any, Confirmation::Person},
                                                      "true, false, \"any\" or \"person\""));
  return {};
}

Result<void> read_audit(const JsonMember& member, Policy& policy) {
  HELVE_ASSIGN(policy.audit, read_word(member, AuditMode::Full, AuditMode::Off,
                                       {AuditMode::Full, AuditMode::Fingerprint, AuditMode::Off},
                                       "true, false, \"full\", \"fingerprint\" or \"off\""));
  return {};
}

Result<void> read_list(const JsonMember& member, Policy& policy) {
  HELVE_ASSIGN(auto texts, read_texts(member));
  const std::string& key = member.key;
  if (key == "allowed_tools") {
    policy.allowed_tools = std::set<std::string>(texts.begin(), texts.end());
  } else if (key == "allowed_graphs" || key == "denied_graphs") {
    HELVE_TRY(check_graphs(key, texts));
    if (key == "denied_graphs") {
      policy.denied_graphs = std::move(texts);
    } else {
      policy.allowed_graphs = std::move(texts);
    }
  } else if (key == "allowed_tables") {
    HELVE_TRY(check_table_names(key, texts));
    policy.allowed_tables = std::move(texts);
  } else if (key == "denied_tables") {
    HELVE_TRY(check_table_names(key, texts));
    policy.denied_tables = std::move(texts);
  } else if (key == "denied_columns" || key == "allowed_columns") {
    HELVE_TRY(check_columns(key, texts));
    if (key == "denied_columns") {
      policy.denied_columns = std::move(texts);
    } else {
      policy.allowed_columns = std::move(texts);
    }
  } else if (key == "denied_endpoints") {
    policy.denied_endpoints = std::move(texts);
  } else if (key == "allowed_endpoints") {
    policy.allowed_endpoints = std::move(texts);
    policy.leaves_endpoints = false;
  } else if (key == "allowed_sources") {
    policy.allowed_sources = std::move(texts);
  } else {
    policy.allowed_paths = std::move(texts);
  }
  return {};
}

constexpr std::string_view kKeys[] = {
    "read_only",         "allow_ddl",        "require_confirmation",
    "max_affected_rows", "snapshot_rows",    "audit",
    "max_rows",          "rows_stored_max",  "bytes_stored_max",
    "max_chars",         "memory_bytes_max", "timeout",
    "allowed_graphs",    "denied_graphs",    "allowed_endpoints",
    "denied_endpoints",  "allowed_tables",   "denied_tables",
    "allowed_columns",   "denied_columns",   "allowed_tools",
    "allowed_sources",   "allowed_paths"};

Error unknown_key(std::string_view key) {
  const std::vector<std::string_view> known(std::begin(kKeys), std::end(kKeys));
  const auto near = near_names(key, known);
  return {ErrorCode::InvalidInput, fmt::format("policy: unknown key \"{}\"", key),
          near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                       : fmt::format("did you mean {}?", near.front())};
}

Result<void> read_member(const JsonMember& member, Policy& policy) {
  const std::string& key = member.key;
  if (key == "read_only") return read_flag(member, policy.read_only);
  if (key == "allow_ddl") return read_flag(member, policy.allow_ddl);
  if (key == "require_confirmation") return read_confirmation(member, policy);
  if (key == "audit") return read_audit(member, policy);
  if (key == "max_affected_rows") {
    return read_number(member, policy.max_affected_rows, 0, kRowsStoredMax);
  }
  if (key == "snapshot_rows") return read_number(member, policy.snapshot_rows, 0, kSnapshotRowsMax);
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
  // All others are lists.
  if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
    return unknown_key(key);
  }
  return read_list(member, policy);
}

}  // namespace

std::span<const std::string_view> policy_keys() { return kKeys; }

std::string_view name_of(Confirmation confirmation) {
  switch (confirmation) {
    case Confirmation::None:
      return "none";
    case Confirmation::Any:
      return "any";
    case Confirmation::Person:
      return "person";
  }
  return "person";
}

std::string_view name_of(AuditMode mode) {
  switch (mode) {
    case AuditMode::Off:
      return "off";
    case AuditMode::Fingerprint:
      return "fingerprint";
    case AuditMode::Full:
      return "full";
  }
  return "full";
}

Result<Policy> policy_from_json(const JsonValue& json, Policy base) {
  const JsonValue::Object* object = json.if_object();
  if (object == nullptr) {
    return Error{ErrorCode::InvalidInput, "a policy is a JSON object",
                 R"(for example {"max_rows": 1000, "timeout": 30})"};
  }
  for (const JsonMember& member : *object) HELVE_TRY(read_member(member, base));
  return base;
}

Result<void> check_names(const Policy& policy) {
  const std::vector<std::string> none;
  HELVE_TRY(check_graphs("allowed_graphs", policy.allowed_graphs.value_or(none)));
  HELVE_TRY(check_graphs("denied_graphs", policy.denied_graphs));
  HELVE_TRY(check_columns("allowed_columns", policy.allowed_columns.value_or(none)));
  return check_columns("denied_columns", policy.denied_columns);
}

}  // namespace helve::toolkit
