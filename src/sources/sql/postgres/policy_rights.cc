#include "sources/sql/postgres/policy_rights.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "sources/sql/postgres/role_script.h"
#include "sources/sql/postgres/table_facts.h"
#include "sources/table_rules.h"

namespace helve::sql {

namespace {

constexpr std::size_t kNamed = 100;

// Whether a rule names the table: "customer" or "sales.customer". What is allowed without a schema
// is only what is found without one; what is denied so is denied in all of them.
bool is_named(const TableFacts& table, std::string_view rule, bool is_allowed) {
  const std::size_t dot = rule.find('.');
  if (dot == std::string_view::npos) {
    return is_same_in_any_case(table.name, rule) && (table.is_in_path || !is_allowed);
  }
  return is_same_in_any_case(table.schema, rule.substr(0, dot)) &&
         is_same_in_any_case(table.name, rule.substr(dot + 1));
}

bool is_any_named(const TableFacts& table, const std::vector<std::string>& rules, bool is_allowed) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const std::string& rule) { return is_named(table, rule, is_allowed); });
}

class PolicyCheck {
 public:
  PolicyCheck(const TableRules& rules, std::vector<TableFacts> tables)
      : rules_(rules), tables_(std::move(tables)) {}

  // The columns that the rules deny, by table.
  Result<void> find_columns() {
    for (const std::string& rule : rules_.denied_columns) {
      const std::size_t dot = rule.rfind('.');
      if (dot == std::string::npos) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("the denied column {} has no table before it", rule),
                     "write it as table.column"};
      }
      const std::string_view name = std::string_view(rule).substr(0, dot);
      for (const TableFacts& table : tables_) {
        if (is_named(table, name, false))
          denied_[table.oid].insert(ascii_lower(rule.substr(dot + 1)));
      }
    }
    // Which others such a table has is told by its details.
    for (const TableFacts& table : tables_) {
      if (limits_columns(rules_, table.schema, table.name)) denied_.try_emplace(table.oid);
    }
    return {};
  }
  std::vector<std::uint32_t> tables_with_columns() const {
    std::vector<std::uint32_t> oids;
    for (const auto& [oid, columns] : denied_) oids.push_back(oid);
    return oids;
  }

  PolicyRights judge(const TableDetails& details, const DatabaseAddress* script_for) {
    add_limited(details);
    add_generated(details);
    find_showing(details.uses);
    std::vector<GrantedTable> granted;
    for (const TableFacts& table : tables_) {
      const bool is_closed = is_closed_table(table);
      if (is_closed || showing_.contains(table.oid)) {
        if (table.is_readable) add(what_is(table, is_closed));
        granted.push_back({table.schema, table.name, false, {}, table.is_open_to_all});
        continue;
      }
      granted.push_back({table.schema,
                         table.name,
                         table.is_readable,
                         {},
                         table.is_open_to_all && has_denied(table)});
      add_columns(table, details, granted.back());
    }
    if (script_for != nullptr) {
      rights_.script = policy_script(*script_for, granted);
      rights_.notes.emplace_back(
          "the script makes the role helve_reader: name it in the address of the source");
    }
    return std::move(rights_);
  }

 private:
  bool is_closed_table(const TableFacts& table) const {
    const bool is_outside =
        rules_.allowed_tables && !is_any_named(table, *rules_.allowed_tables, true);
    return is_outside || is_any_named(table, rules_.denied_tables, false);
  }
  bool has_denied(const TableFacts& table) const { return denied_.contains(table.oid); }
  bool is_denied(std::uint32_t table, std::string_view column) const {
    const auto columns = denied_.find(table);
    return columns != denied_.end() && columns->second.contains(ascii_lower(column));
  }

  // Of tables that have allowed columns: all others.
  void add_limited(const TableDetails& details) {
    for (const TableFacts& table : tables_) {
      const auto columns = details.columns.find(table.oid);
      if (columns == details.columns.end()) continue;
      for (const ColumnFacts& column : columns->second) {
        if (leaves_column(rules_, table.schema, table.name, column.name)) continue;
        denied_[table.oid].insert(ascii_lower(column.name));
      }
    }
  }

  void add_generated(const TableDetails& details) {
    for (const auto& entry : details.columns) {
      const std::uint32_t oid = entry.first;
      for (const ColumnFacts& column : entry.second) {
        const bool tells = std::any_of(column.sources.begin(), column.sources.end(),
                                       [&](const std::string& one) { return is_denied(oid, one); });
        if (tells) denied_[oid].insert(ascii_lower(column.name));
      }
    }
  }

  // What shows denied rows or columns, be it through others. Where tables are allowed by name, a
  // view that is named is wanted, and one that is not is closed anyway.
  void find_showing(const std::vector<TableUseFact>& uses) {
    if (rules_.allowed_tables) return;
    std::multimap<std::uint32_t, const TableUseFact*> users;
    for (const TableUseFact& use : uses) users.emplace(use.table, &use);
    std::vector<std::uint32_t> open;
    for (const TableFacts& table : tables_) {
      if (is_closed_table(table)) open.push_back(table.oid);
    }
    const auto add_user = [&](const TableUseFact& use) {
      if (showing_.insert(use.user).second) open.push_back(use.user);
    };
    for (const auto& [oid, columns] : denied_) {
      const auto [first, last] = users.equal_range(oid);
      for (auto use = first; use != last; ++use) {
        if (use->second->is_whole || columns.contains(ascii_lower(use->second->column))) {
          add_user(*use->second);
        }
      }
    }
    while (!open.empty()) {
      const auto [first, last] = users.equal_range(open.back());
      open.pop_back();
      for (auto use = first; use != last; ++use) add_user(*use->second);
    }
  }

  static std::string what_is(const TableFacts& table, bool is_closed) {
    std::string name = fmt::format("{}.{}", table.schema, table.name);
    if (is_closed) return name;
    return table.is_view ? "the view " + name : name + ", which has rows of denied tables";
  }

  void add_columns(const TableFacts& table, const TableDetails& details, GrantedTable& granted) {
    const auto columns = details.columns.find(table.oid);
    if (columns == details.columns.end()) return;
    for (const ColumnFacts& column : columns->second) {
      if (!is_denied(table.oid, column.name)) {
        granted.columns.push_back(column.name);
      } else if (table.is_readable && column.is_readable) {
        add(fmt::format("{}.{}.{}", table.schema, table.name, column.name));
      }
    }
    // A rule for a column that there is not takes nothing away.
    if (granted.columns.size() == columns->second.size()) granted.columns.clear();
    if (granted.columns.empty() && granted.is_granted) {
      granted.is_granted = std::none_of(
          columns->second.begin(), columns->second.end(),
          [&](const ColumnFacts& column) { return is_denied(table.oid, column.name); });
    }
  }

  void add(std::string name) {
    if (++rights_.beyond_count <= kNamed) rights_.beyond.push_back(std::move(name));
  }

  const TableRules& rules_;
  std::vector<TableFacts> tables_;
  std::map<std::uint32_t, std::set<std::string>> denied_;  // columns in lower case, by table
  std::set<std::uint32_t> showing_;
  PolicyRights rights_;
};

}  // namespace

Result<PolicyRights> read_policy_rights(Connection& connection, const TableRules& rules,
                                        const DatabaseAddress* script_for,
                                        const OpContext& context) {
  HELVE_ASSIGN(auto tables, read_tables(connection, context));
  PolicyCheck check(rules, std::move(tables));
  HELVE_TRY(check.find_columns());
  HELVE_ASSIGN(const TableDetails details,
               read_details(connection, check.tables_with_columns(), context));
  return check.judge(details, script_for);
}

}  // namespace helve::sql
