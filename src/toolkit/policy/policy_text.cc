#include "toolkit/policy/policy_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

using Texts = std::vector<std::string>;

std::string table_of(std::string_view column) {
  return std::string(column.substr(0, std::min(column.rfind('.'), column.size())));
}

bool has_same(const Texts& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& one) { return is_same_in_any_case(one, name); });
}

// What "sales.customer" is denied by: itself or "customer".
bool names_same_table(std::string_view a, std::string_view b) {
  const auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  if (is_same_in_any_case(a, b)) return true;
  const bool is_one_bare =
      a.find('.') == std::string_view::npos || b.find('.') == std::string_view::npos;
  return is_one_bare && is_same_in_any_case(last(a), last(b));
}

class WarningCollector {
 public:
  WarningCollector(const Policy& policy, const std::set<std::string>& written)
      : policy_(policy), written_(written) {}

  Texts collect(const std::function<bool(const std::string&)>& is_writing) {
    of_tools(is_writing);
    of_changes();
    of_lists();
    of_tables();
    of_columns();
    return std::move(warnings_);
  }

 private:
  bool is_written(const char* key) const { return written_.contains(key); }
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  void of_tools(const std::function<bool(const std::string&)>& is_writing) {
    if (!policy_.allowed_tools) return;
    if (policy_.allowed_tools->empty()) warn("allowed_tools is empty: no tool can be called");
    for (const std::string& name : *policy_.allowed_tools) {
      if (policy_.read_only && is_writing(name)) {
        warn(fmt::format("allowed_tools has {}, which changes data: read_only refuses it", name));
      }
    }
  }

  void of_changes() {
    if (policy_.read_only) {
      for (const char* key :
           {"allow_ddl", "require_confirmation", "max_affected_rows", "snapshot_rows"}) {
        const bool says_nothing = std::string_view(key) == "allow_ddl" && !policy_.allow_ddl;
        if (is_written(key) && !says_nothing) {
          warn(fmt::format("{} has no effect: read_only is true", key));
        }
      }
      return;
    }
    if (policy_.max_affected_rows == 0) {
      warn("max_affected_rows is 0: every change of a row is refused, though read_only is false");
    }
    if (policy_.require_confirmation == Confirmation::None && is_written("require_confirmation")) {
      warn("require_confirmation is false: changes are made without a question");
    }
    if (policy_.audit == AuditMode::Off) {
      warn("audit is off: changes are made and leave no record");
    }
  }

  void of_lists() {
    of_pair("graphs", policy_.allowed_graphs, policy_.denied_graphs);
    of_pair("endpoints", policy_.allowed_endpoints, policy_.denied_endpoints);
    if (policy_.allowed_sources && policy_.allowed_sources->empty()) {
      warn("allowed_sources is empty: no source can be seen");
    }
  }

  void of_pair(std::string_view kind, const std::optional<Texts>& allowed, const Texts& denied) {
    if (kind != "endpoints" && allowed && allowed->empty()) {
      warn(fmt::format("allowed_{0} is empty: of {0} nothing can be read", kind));
    }
    for (const std::string& name : denied) {
      const std::string shown = escape_for_terminal(name);
      const bool is_allowed =
          !allowed || std::find(allowed->begin(), allowed->end(), name) != allowed->end();
      if (!is_allowed) {
        warn(fmt::format("denied_{0} has {1}, which is not in allowed_{0} anyway", kind, shown));
      } else if (allowed) {
        warn(
            fmt::format("{1} is both in allowed_{0} and in denied_{0}: it is denied", kind, shown));
      }
    }
  }

  bool is_table_denied(std::string_view table) const {
    return std::any_of(policy_.denied_tables.begin(), policy_.denied_tables.end(),
                       [&](const std::string& one) { return names_same_table(one, table); });
  }
  bool is_table_left_out(std::string_view table) const {
    return policy_.allowed_tables &&
           std::none_of(policy_.allowed_tables->begin(), policy_.allowed_tables->end(),
                        [&](const std::string& one) { return names_same_table(one, table); });
  }

  void of_tables() {
    if (policy_.allowed_tables && policy_.allowed_tables->empty()) {
      warn("allowed_tables is empty: no table can be read");
    }
    for (const std::string& name : policy_.denied_tables) {
      const std::string shown = escape_for_terminal(name);
      if (is_table_left_out(name)) {
        warn(fmt::format("denied_tables has {}, which is not in allowed_tables anyway", shown));
      } else if (policy_.allowed_tables && has_same(*policy_.allowed_tables, name)) {
        warn(fmt::format("{} is both in allowed_tables and in denied_tables: it is denied", shown));
      }
    }
  }

  void of_columns() {
    const Texts none;
    const Texts& allowed = policy_.allowed_columns ? *policy_.allowed_columns : none;
    if (policy_.allowed_columns && allowed.empty()) {
      warn("allowed_columns is empty: it limits no table");
    }
    for (const auto& [key, list] :
         {std::pair<std::string_view, const Texts*>("denied_columns", &policy_.denied_columns),
          {"allowed_columns", &allowed}}) {
      for (const std::string& column : *list) {
        const std::string table = table_of(column);
        if (!is_table_denied(table) && !is_table_left_out(table)) continue;
        warn(fmt::format("{} has {}, whose table cannot be read anyway", key,
                         escape_for_terminal(column)));
      }
    }
    for (const std::string& column : allowed) {
      if (!has_same(policy_.denied_columns, column)) continue;
      warn(fmt::format("{} is both in allowed_columns and in denied_columns: it is denied",
                       escape_for_terminal(column)));
    }
  }

  const Policy& policy_;
  const std::set<std::string>& written_;
  Texts warnings_;
};

}  // namespace

Texts describe_policy(const Policy& policy) {
  if (policy.allowed_tools && policy.allowed_tools->empty()) {
    return {"may call no tool: everything is refused"};
  }
  Texts sentences;
  for (const PolicyKey& key : policy_keys()) {
    if (std::string text = key.describe(policy); !text.empty())
      sentences.push_back(std::move(text));
  }
  return sentences;
}

Texts describe_restrictions(const Policy& policy) {
  Texts sentences;
  for (const PolicyKey& key : policy_keys()) {
    if (!key.restricts(policy)) continue;
    if (std::string text = key.describe(policy); !text.empty())
      sentences.push_back(std::move(text));
  }
  if (sentences.empty()) sentences.emplace_back("restricts nothing");
  return sentences;
}

Texts lint_policy(const Policy& policy, const std::set<std::string>& written,
                  const std::function<bool(const std::string&)>& is_writing) {
  return WarningCollector(policy, written).collect(is_writing);
}

}  // namespace helve::toolkit
