#include "toolkit/policy/policy_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"

namespace helve::toolkit {

namespace {

using Texts = std::vector<std::string>;

std::string list_values(const auto& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kShown) {
      return fmt::format("{} and {} more", text, names.size() - kShown);
    }
    text += (text.empty() ? "" : ", ") + escape_for_terminal(name);
  }
  return text;
}

std::string seconds_of(Duration duration) {
  return fmt::format("{:g} s", std::chrono::duration<double>(duration).count());
}

// "reads all KIND", "reads nothing but KIND a, b", both without what is denied.
std::string reading(std::string_view kind, const std::optional<Texts>& allowed,
                    const Texts& denied) {
  std::string text;
  if (!allowed) {
    text = fmt::format("reads all {}", kind);
  } else if (allowed->empty()) {
    return fmt::format("reads no {}", kind);
  } else {
    text = fmt::format("of {} reads {} alone", kind, list_values(*allowed));
  }
  if (!denied.empty()) text += fmt::format(", but never {}", list_values(denied));
  return text;
}

std::string table_of(std::string_view column) {
  return std::string(column.substr(0, std::min(column.rfind('.'), column.size())));
}

void add_columns(const Policy& policy, Texts& words) {
  if (policy.allowed_columns) {
    std::set<std::string> tables;
    for (const std::string& column : *policy.allowed_columns) tables.insert(table_of(column));
    if (!tables.empty()) {
      words.push_back(fmt::format("of the tables {} reads the columns {} alone",
                                  list_values(tables), list_values(*policy.allowed_columns)));
    }
  }
  if (!policy.denied_columns.empty()) {
    words.push_back(fmt::format("never reads the columns {}", list_values(policy.denied_columns)));
  }
}

void add_endpoints(const Policy& policy, Texts& words) {
  Texts allowed = policy.allowed_endpoints;
  std::erase_if(allowed, [&](const std::string& one) {
    return std::find(policy.denied_endpoints.begin(), policy.denied_endpoints.end(), one) !=
           policy.denied_endpoints.end();
  });
  words.push_back(allowed.empty()
                      ? "asks no other endpoint (SERVICE is refused)"
                      : fmt::format("asks other endpoints (SERVICE): {}", list_values(allowed)));
}

void add_files(const Policy& policy, Texts& words) {
  if (!policy.allowed_paths) {
    words.emplace_back(hides_graphs(policy) ? "loads no files, since graphs are hidden"
                                            : "loads any file that the process can read");
  } else if (policy.allowed_paths->empty()) {
    words.emplace_back("loads no files");
  } else {
    words.push_back(fmt::format("loads files of {} alone", list_values(*policy.allowed_paths)));
  }
}

std::string_view confirmation_words(Confirmation confirmation) {
  switch (confirmation) {
    case Confirmation::None:
      return "changes are made at once, without a question";
    case Confirmation::Any:
      return "every change is confirmed first: by a person where one can be asked, otherwise by a "
             "second call with a token";
    case Confirmation::Person:
      break;
  }
  return "every change is confirmed by a person first; where none can be asked it is refused";
}

void add_changes(const Policy& policy, Texts& words) {
  if (policy.read_only) {
    words.emplace_back("changes nothing");
    return;
  }
  words.push_back(fmt::format(
      "may insert, update and delete: at most {} by a statement or a transaction",
      policy.max_affected_rows == 1 ? "1 row" : format_count(policy.max_affected_rows) + " rows"));
  words.emplace_back(policy.allow_ddl ? "may make, change and drop tables"
                                      : "may not make, change or drop tables");
  words.emplace_back(confirmation_words(policy.require_confirmation));
  words.push_back(policy.snapshot_rows == 0
                      ? "keeps no rows of before and after a change"
                      : fmt::format("keeps up to {} rows of before and after a change",
                                    format_count(policy.snapshot_rows)));
}

std::string audit_words(const Policy& policy) {
  const std::string_view of_changes =
      policy.read_only ? "" : "; a change that cannot be recorded is refused";
  if (!policy.audit)
    return fmt::format("recorded in full where there is an audit file{}", of_changes);
  switch (*policy.audit) {
    case AuditMode::Off:
      return policy.read_only ? "not recorded" : "not recorded, changes neither";
    case AuditMode::Fingerprint:
      return "recorded without the texts of queries, which are kept as hashes; a call that cannot "
             "be recorded is refused";
    case AuditMode::Full:
      break;
  }
  return "recorded in full; a call that cannot be recorded is refused";
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
    of_files();
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

  void of_files() {
    if (hides_graphs(policy_) && !policy_.allowed_paths) {
      warn("graphs are hidden and allowed_paths is not written: g_load and ont_load are refused");
    }
  }

  const Policy& policy_;
  const std::set<std::string>& written_;
  Texts warnings_;
};

}  // namespace

Texts words_of(const Policy& policy) {
  Texts words;
  if (policy.allowed_tools && policy.allowed_tools->empty()) {
    return {"may call no tool: everything is refused"};
  }
  words.push_back(policy.allowed_tools ? fmt::format("calls these tools alone: {}",
                                                     list_values(*policy.allowed_tools))
                                       : "calls every tool");
  words.push_back(reading("sources", policy.allowed_sources, {}));
  words.push_back(reading("graphs", policy.allowed_graphs, policy.denied_graphs));
  words.push_back(reading("tables", policy.allowed_tables, policy.denied_tables));
  add_columns(policy, words);
  add_endpoints(policy, words);
  add_files(policy, words);
  add_changes(policy, words);
  words.push_back(
      fmt::format("a reply has at most {} rows and {} characters, a call takes at most "
                  "{} and {}, a result that is kept has at most {} rows and {}",
                  format_count(policy.max_rows), format_count(policy.max_chars),
                  seconds_of(policy.timeout_max), format_bytes(policy.memory_bytes_max),
                  format_count(policy.rows_stored_max), format_bytes(policy.bytes_stored_max)));
  words.push_back("calls are " + audit_words(policy));
  return words;
}

Texts restrictions_of(const Policy& policy) {
  const Policy free = unrestricted_policy();
  Texts words;
  if (policy.allowed_tools) {
    words.push_back(fmt::format("these tools alone: {}", list_values(*policy.allowed_tools)));
  }
  if (hides_graphs(policy)) {
    words.push_back(reading("graphs", policy.allowed_graphs, policy.denied_graphs));
  }
  if (policy.allowed_tables || !policy.denied_tables.empty()) {
    words.push_back(reading("tables", policy.allowed_tables, policy.denied_tables));
  }
  add_columns(policy, words);
  if (!policy.leaves_endpoints) add_endpoints(policy, words);
  if (policy.allowed_paths) add_files(policy, words);
  if (policy.read_only) words.emplace_back("changes nothing");
  if (!policy.allow_ddl && !policy.read_only) {
    words.emplace_back("may not make, change or drop tables");
  }
  if (policy.require_confirmation != free.require_confirmation) {
    words.emplace_back(confirmation_words(policy.require_confirmation));
  }
  const auto at_most = [&words](auto value, auto unlimited, std::string_view what) {
    if (value != unlimited) words.push_back(fmt::format("at most {} {}", value, what));
  };
  at_most(policy.max_affected_rows, free.max_affected_rows, "rows changed by a statement");
  at_most(policy.snapshot_rows, free.snapshot_rows, "rows kept of before and after a change");
  at_most(policy.max_rows, free.max_rows, "rows in a reply");
  at_most(policy.max_chars, free.max_chars, "characters in a reply");
  at_most(policy.rows_stored_max, free.rows_stored_max, "rows in a result that is kept");
  at_most(policy.bytes_stored_max, free.bytes_stored_max, "bytes in a result that is kept");
  at_most(policy.memory_bytes_max, free.memory_bytes_max, "bytes of memory for a call");
  if (policy.timeout_max != free.timeout_max) {
    words.push_back(fmt::format("at most {} for a call", seconds_of(policy.timeout_max)));
  }
  if (policy.audit) words.push_back("calls are " + audit_words(policy));
  if (words.empty()) words.emplace_back("takes nothing away");
  return words;
}

Texts warnings_about(const Policy& policy, const std::set<std::string>& written,
                     const std::function<bool(const std::string&)>& is_writing) {
  return WarningCollector(policy, written).collect(is_writing);
}

}  // namespace helve::toolkit
