// The table of policy keys. Files, intersection, sentences, documents and fingerprints of policies
// come from its rows: a new member of Policy needs one, and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/near_names.h"
#include "base/text.h"
#include "sources/table_rules.h"
#include "toolkit/policy/policy.h"
#include "toolkit/policy/policy_members.h"
#include "toolkit/policy/policy_rules.h"

namespace helve::toolkit {

namespace rules = policy_rules;

namespace {

std::string shown_names(const auto& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kShown) return fmt::format("{} and {} more", text, names.size() - kShown);
    text += (text.empty() ? "" : ", ") + escape_for_terminal(name);
  }
  return text;
}

// ---- Sentences.

std::string describe_allowed(const auto& allowed, std::string_view verb, std::string_view kind) {
  if (!allowed) return fmt::format("{} all {}", verb, kind);
  if (allowed->empty()) return fmt::format("{} no {}", verb, kind);
  return fmt::format("{} only these {}: {}", verb, kind, shown_names(*allowed));
}

std::string describe_denied(const Policy::Names& denied, std::string_view verb,
                            std::string_view kind) {
  if (denied.empty()) return {};
  return fmt::format("never {} these {}: {}", verb, kind, shown_names(denied));
}

std::string describe_columns(const Policy& policy) {
  if (!policy.allowed_columns || policy.allowed_columns->empty()) return {};
  std::set<std::string> tables;
  for (const std::string& column : *policy.allowed_columns) {
    tables.insert(column.substr(0, std::min(column.rfind('.'), column.size())));
  }
  return fmt::format("of the tables {} reads only these columns: {}", shown_names(tables),
                     shown_names(*policy.allowed_columns));
}

std::string describe_endpoints(const Policy& policy) {
  const Policy::Names endpoints = endpoints_of(policy);
  return endpoints.empty()
             ? "asks no other endpoints (SERVICE is refused)"
             : fmt::format("asks only these endpoints (SERVICE): {}", shown_names(endpoints));
}

std::string describe_paths(const Policy& policy) {
  if (policy.allowed_paths) {
    return describe_allowed(policy.allowed_paths, "loads",
                            policy.allowed_paths->empty() ? "files" : "folders and files in them");
  }
  return hides_graphs(policy) ? "loads no files, because graphs are hidden"
                              : "loads any file that the process can read";
}

std::string describe_confirmation(const Policy& policy) {
  if (policy.read_only) return {};
  switch (policy.require_confirmation) {
    case Confirmation::None:
      return "makes changes at once, without a question";
    case Confirmation::TwoStep:
      return "makes a change only after a person confirmed it or, where no person can be asked, "
             "after a second call with a token, which a model can make itself";
    case Confirmation::Person:
      break;
  }
  return "makes a change only after a person confirmed it; where no person can be asked it is "
         "refused";
}

std::string describe_audit(const Policy& policy) {
  const std::string_view of_changes =
      policy.read_only ? "" : "; a change that cannot be recorded is refused";
  if (!policy.audit) {
    return fmt::format("is recorded in full where there is an audit file{}", of_changes);
  }
  switch (*policy.audit) {
    case AuditMode::Off:
      return policy.read_only ? "is not recorded" : "is not recorded, nor are changes";
    case AuditMode::Fingerprint:
      return "is recorded with hashes instead of the texts of queries; a call that cannot be "
             "recorded is refused";
    case AuditMode::Full:
      break;
  }
  return "is recorded in full; a call that cannot be recorded is refused";
}

std::string describe_affected(const Policy& policy, std::uint64_t rows, std::string_view within) {
  if (policy.read_only) return {};
  return fmt::format("changes at most {} {}", rows == 1 ? "1 row" : format_count(rows) + " rows",
                     within);
}

std::string describe_snapshots(const Policy& policy) {
  if (policy.read_only) return {};
  return policy.snapshot_rows == 0
             ? "stores no rows from before and after a change"
             : fmt::format("stores up to {} rows from before and after a change",
                           format_count(policy.snapshot_rows));
}

// ---- The table.

template <typename Member, typename Rule>
struct KeyRow {
  using KeyRule = Rule;
  Member Policy::*member;
  std::string_view name;
  std::string_view description;
  std::string (*describe)(const Policy& policy);
  bool hides_data = false;
};

template <typename Rule>
constexpr KeyRow<typename Rule::Value, Rule> key_row(typename Rule::Value Policy::*member,
                                                     std::string_view name,
                                                     std::string_view description,
                                                     std::string (*describe)(const Policy& policy),
                                                     bool hides_data = false) {
  return {member, name, description, describe, hides_data};
}

constexpr bool kHidesData = true;

constexpr auto kRows = std::tuple(
    key_row<rules::AllowedTools>(
        &Policy::allowed_tools, "allowed_tools", "Tools that may be called, by name.",
        [](const Policy& p) { return describe_allowed(p.allowed_tools, "calls", "tools"); }),
    key_row<rules::Allowed<rules::any_names, rules::common_names>>(
        &Policy::allowed_sources, "allowed_sources",
        "Sources that may be used, by name. The names of other sources are not shown.",
        [](const Policy& p) { return describe_allowed(p.allowed_sources, "reads", "sources"); },
        kHidesData),
    key_row<rules::Allowed<rules::check_graphs, rules::common_names>>(
        &Policy::allowed_graphs, "allowed_graphs",
        "Named graphs that can be read. Everything else is hidden, the default graph too.",
        [](const Policy& p) { return describe_allowed(p.allowed_graphs, "reads", "graphs"); },
        kHidesData),
    key_row<rules::Denied<rules::check_graphs>>(
        &Policy::denied_graphs, "denied_graphs",
        "Graphs that are hidden. Without `allowed_graphs` all others can be read, the default "
        "graph too.",
        [](const Policy& p) { return describe_denied(p.denied_graphs, "reads", "graphs"); },
        kHidesData),
    key_row<rules::Allowed<rules::check_tables, rules::common_tables>>(
        &Policy::allowed_tables, "allowed_tables",
        "Tables of SQL databases that can be read: `\"customer\"` or `\"sales.customer\"`, without "
        "case ([sql.md](sql.md)).",
        [](const Policy& p) { return describe_allowed(p.allowed_tables, "reads", "tables"); },
        kHidesData),
    key_row<rules::Denied<rules::check_tables>>(
        &Policy::denied_tables, "denied_tables", "Tables that are hidden.",
        [](const Policy& p) { return describe_denied(p.denied_tables, "reads", "tables"); },
        kHidesData),
    key_row<rules::Allowed<rules::check_columns, common_columns>>(
        &Policy::allowed_columns, "allowed_columns",
        "Columns, such as `\"customer.name\"`. A table with a column here shows only these; other "
        "tables show all columns.",
        describe_columns, kHidesData),
    key_row<rules::Denied<rules::check_columns>>(
        &Policy::denied_columns, "denied_columns", "Columns that are hidden.",
        [](const Policy& p) { return describe_denied(p.denied_columns, "reads", "columns"); },
        kHidesData),
    key_row<rules::Allowed<rules::check_tables, rules::common_names>>(
        &Policy::allowed_functions, "allowed_functions",
        "Functions of a SQL database's own that statements may call, besides those that only "
        "compute: `\"score\"` or `\"sales.score\"`, as the database has them.",
        [](const Policy& p) -> std::string {
          if (!p.allowed_functions || p.allowed_functions->empty()) return {};
          return describe_allowed(p.allowed_functions, "calls", "functions of the database's own");
        }),
    key_row<rules::Allowed<rules::any_names, rules::common_names>>(
        &Policy::allowed_endpoints, "allowed_endpoints",
        "SPARQL endpoints that SERVICE and `service_desc` may ask. The names of other endpoints in "
        "files are still shown.",
        describe_endpoints, kHidesData),
    key_row<rules::Denied<rules::any_names>>(
        &Policy::denied_endpoints, "denied_endpoints", "Endpoints that are never asked.",
        [](const Policy& p) { return describe_denied(p.denied_endpoints, "asks", "endpoints"); },
        kHidesData),
    key_row<rules::Allowed<rules::any_names, rules::common_folders>>(
        &Policy::allowed_paths, "allowed_paths",
        "Folders from which tools may load files. Those of a policy file are relative to it.",
        describe_paths, kHidesData),
    key_row<rules::Flag<false>>(
        &Policy::read_only, "read_only",
        "No tool may change a source. A database is opened for writing only if the "
        "policy of some caller has `false`.",
        [](const Policy& p) -> std::string {
          return p.read_only ? "changes nothing" : "may insert, update and delete rows";
        }),
    key_row<rules::Flag<true>>(&Policy::memory_writes, "memory_writes",
                               "Tools may write the memory bank, if the operator named it for "
                               "writing (`--bank`). `false`: "
                               "they only read it.",
                               [](const Policy& p) -> std::string {
                                 return p.memory_writes ? "" : "does not write the memory bank";
                               }),
    key_row<rules::Flag<true>>(&Policy::allow_ddl, "allow_ddl",
                               "Tables may be created, changed and dropped.",
                               [](const Policy& p) -> std::string {
                                 if (p.read_only) return {};
                                 return p.allow_ddl ? "may create, change and drop tables"
                                                    : "may not create, change or drop tables";
                               }),
    key_row<rules::MostConfirmed>(
        &Policy::require_confirmation, "require_confirmation",
        "`true` or `\"person\"`: a person must confirm each change; where no person can be asked "
        "it "
        "is refused. `\"two_step\"`: where no person can be asked, a second call with a token "
        "confirms, which a model can make itself. `false`: changes are made at once.",
        describe_confirmation),
    key_row<rules::Smallest<std::uint64_t, 0, 1'000'000'000>>(
        &Policy::max_affected_rows, "max_affected_rows",
        "Rows that one statement, and one transaction, may change.",
        [](const Policy& p) {
          return describe_affected(p, p.max_affected_rows, "by one statement or transaction");
        }),
    key_row<rules::Smallest<std::uint64_t, 0, 1'000'000'000>>(
        &Policy::max_affected_rows_per_session, "max_affected_rows_per_session",
        "Rows that one session may change, in all its transactions.",
        [](const Policy& p) {
          return describe_affected(p, p.max_affected_rows_per_session, "in one session");
        }),
    key_row<rules::Smallest<std::uint64_t, 0, 1'000'000'000>>(
        &Policy::max_affected_rows_per_hour, "max_affected_rows_per_hour",
        "Rows that all sessions of one caller may change within an hour.",
        [](const Policy& p) {
          return describe_affected(p, p.max_affected_rows_per_hour, "within an hour");
        }),
    key_row<rules::Smallest<std::uint64_t, 0, 10'000>>(
        &Policy::snapshot_rows, "snapshot_rows", "Rows stored from before and after a change.",
        describe_snapshots),
    key_row<rules::Smallest<std::uint64_t, 1, 1'000'000>>(
        &Policy::max_rows, "max_rows", "Rows in one reply.",
        [](const Policy& p) {
          return fmt::format("sees at most {} rows in a reply", format_count(p.max_rows));
        }),
    key_row<rules::Smallest<std::size_t, 200, 1'000'000>>(
        &Policy::max_chars, "max_chars", "Characters in one reply, in each form.",
        [](const Policy& p) {
          return fmt::format("sees at most {} characters in a reply", format_count(p.max_chars));
        }),
    key_row<rules::Smallest<std::uint64_t, 1, 1'000'000'000>>(
        &Policy::rows_stored_max, "rows_stored_max", "Rows in one stored result.",
        [](const Policy& p) {
          return fmt::format("stores at most {} rows in a result", format_count(p.rows_stored_max));
        }),
    key_row<rules::Smallest<std::size_t, 1'024, std::uint64_t{1} << 40>>(
        &Policy::bytes_stored_max, "bytes_stored_max", "Bytes of one stored result.",
        [](const Policy& p) {
          return fmt::format("stores at most {} in a result", format_bytes(p.bytes_stored_max));
        }),
    key_row<rules::ShortestTime>(&Policy::timeout_max, "timeout", "Seconds that one call may take.",
                                 [](const Policy& p) {
                                   return fmt::format(
                                       "takes at most {:g} s for a call",
                                       std::chrono::duration<double>(p.timeout_max).count());
                                 }),
    key_row<rules::Smallest<std::size_t, 1 << 20, std::uint64_t{1} << 44>>(
        &Policy::memory_bytes_max, "memory_bytes_max", "Bytes of memory that one call may use.",
        [](const Policy& p) {
          return fmt::format("uses at most {} of memory for a call",
                             format_bytes(p.memory_bytes_max));
        }),
    key_row<rules::AuditRule>(
        &Policy::audit, "audit",
        "`true` or `\"full\"`; `\"fingerprint\"`: hashes instead of queries; `false` or `\"off\"`. "
        "If it is set and not off, calls that cannot be recorded are refused "
        "([audit.md](audit.md)). Default: in full where there is an audit file.",
        describe_audit));

constexpr std::size_t kCount = std::tuple_size_v<decltype(kRows)>;

static_assert(std::tuple_size_v<decltype(members_of(std::declval<Policy&>()))> == kCount);

template <typename A, typename B>
constexpr bool is_same_member(const A& a, const B& b) {
  if constexpr (std::is_same_v<decltype(a.member), decltype(b.member)>) {
    return a.member == b.member;
  }
  return false;
}
constexpr bool is_each_once() {
  return std::apply(
      [](const auto&... all) {
        const auto times = [&](const auto& one) {
          return (0 + ... + (is_same_member(one, all) ? 1 : 0));
        };
        return ((times(all) == 1) && ...);
      },
      kRows);
}
static_assert(is_each_once(), "every member of Policy has one row");

template <std::size_t kIndex>
constexpr PolicyKey key_of_row() {
  using RowType = std::tuple_element_t<kIndex, std::remove_const_t<decltype(kRows)>>;
  using Rule = typename RowType::KeyRule;
  constexpr auto kMember = std::get<kIndex>(kRows).member;
  return {std::get<kIndex>(kRows).name,
          Rule::type,
          std::get<kIndex>(kRows).description,
          [](const JsonMember& member, Policy& into) -> Result<void> {
            HELVE_ASSIGN(into.*kMember, Rule::parse(member));
            return {};
          },
          [](const Policy& other, Policy& into) {
            into.*kMember = Rule::intersect(into.*kMember, other.*kMember);
          },
          [](Policy& into) { into.*kMember = Rule::free(); },
          [](const Policy& policy) { return policy.*kMember != Rule::free(); },
          [](const Policy& policy) { return Rule::to_json(policy.*kMember); },
          std::get<kIndex>(kRows).hides_data,
          std::get<kIndex>(kRows).describe};
}

template <std::size_t... kIndexes>
constexpr std::array<PolicyKey, kCount> keys_of_rows(std::index_sequence<kIndexes...> /*all*/) {
  return {key_of_row<kIndexes>()...};
}
constexpr std::array<PolicyKey, kCount> kKeys = keys_of_rows(std::make_index_sequence<kCount>());

Error unknown_key(std::string_view key) {
  std::vector<std::string_view> known;
  for (const PolicyKey& one : kKeys) known.push_back(one.name);
  const auto near = near_names(key, known);
  return {ErrorCode::InvalidInput, fmt::format("policy: unknown key \"{}\"", key),
          near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                       : fmt::format("did you mean {}?", near.front())};
}

}  // namespace

std::span<const PolicyKey> policy_keys() { return kKeys; }

std::string_view name_of(Confirmation confirmation) {
  switch (confirmation) {
    case Confirmation::None:
      return "none";
    case Confirmation::TwoStep:
      return "two_step";
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
  for (const JsonMember& member : *object) {
    const auto* const key = std::find_if(
        kKeys.begin(), kKeys.end(), [&](const PolicyKey& one) { return one.name == member.key; });
    if (key == kKeys.end()) return unknown_key(member.key);
    HELVE_TRY(key->parse(member, base));
  }
  return base;
}

JsonValue policy_to_json(const Policy& policy) {
  JsonValue::Object members;
  for (const PolicyKey& key : kKeys) {
    JsonValue value = key.to_json(policy);
    if (!value.is_null()) members.push_back({std::string(key.name), std::move(value)});
  }
  return JsonValue(std::move(members));
}

Policy unrestricted_policy() {
  Policy policy;
  for (const PolicyKey& key : kKeys) key.lift(policy);
  return policy;
}

Policy intersect(const Policy& a, const Policy& b) {
  Policy both = a;
  for (const PolicyKey& key : kKeys) key.intersect(b, both);
  return both;
}

std::string visibility_key(const Policy& policy) {
  JsonValue::Object hiding;
  for (const PolicyKey& key : kKeys) {
    if (!key.hides_data || !key.restricts(policy)) continue;
    // No endpoint may be asked by default.
    if (key.name == "allowed_endpoints" && policy.allowed_endpoints->empty()) continue;
    JsonValue value = key.to_json(policy);
    auto* const names = value.if_array();
    std::sort(names->begin(), names->end(), [](const JsonValue& a, const JsonValue& b) {
      return *a.if_string() < *b.if_string();
    });
    hiding.push_back({std::string(key.name), std::move(value)});
  }
  return hiding.empty() ? std::string() : to_json(JsonValue(std::move(hiding)));
}

bool hides_graphs(const Policy& policy) {
  return policy.allowed_graphs.has_value() || !policy.denied_graphs.empty();
}

bool allows_source(const Policy& policy, std::string_view name) {
  return !policy.allowed_sources || rules::contains_name(*policy.allowed_sources, name);
}

std::vector<std::string> endpoints_of(const Policy& policy) {
  Policy::Names endpoints = policy.allowed_endpoints.value_or(Policy::Names());
  std::erase_if(endpoints, [&](const std::string& one) {
    return rules::contains_name(policy.denied_endpoints, one);
  });
  return endpoints;
}

}  // namespace helve::toolkit
