#include "sources/table_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/ascii.h"

namespace helve {

namespace {

struct ColumnRule {
  std::string_view table;  // as it is written
  std::string_view column;
};

ColumnRule rule_of(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {text, {}};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

bool names_table(std::string_view name, std::string_view schema, std::string_view table) {
  if (is_same_in_any_case(name, table)) return true;
  return name.size() == schema.size() + 1 + table.size() && !schema.empty() &&
         name[schema.size()] == '.' && is_same_in_any_case(name.substr(0, schema.size()), schema) &&
         is_same_in_any_case(name.substr(schema.size() + 1), table);
}

// By the name of the table as it is written, all in lower case.
using ColumnsByTable = std::map<std::string, std::set<std::string>>;

ColumnsByTable by_table(const std::vector<std::string>& rules) {
  ColumnsByTable tables;
  for (const std::string& text : rules) {
    const ColumnRule rule = rule_of(text);
    tables[ascii_lower(rule.table)].insert(ascii_lower(rule.column));
  }
  return tables;
}

}  // namespace

bool limits_columns(const TableRules& rules, std::string_view schema, std::string_view table) {
  return rules.allowed_columns &&
         std::any_of(rules.allowed_columns->begin(), rules.allowed_columns->end(),
                     [&](const std::string& text) {
                       return names_table(rule_of(text).table, schema, table);
                     });
}

bool leaves_column(const TableRules& rules, std::string_view schema, std::string_view table,
                   std::string_view column) {
  if (!rules.allowed_columns) return true;
  // The two ways in which a table can be named.
  bool is_bare_limiting = false;
  bool is_bare_leaving = false;
  bool is_full_limiting = false;
  bool is_full_leaving = false;
  for (const std::string& text : *rules.allowed_columns) {
    const ColumnRule rule = rule_of(text);
    if (!names_table(rule.table, schema, table)) continue;
    const bool is_bare = is_same_in_any_case(rule.table, table);
    const bool is_it = !column.empty() && is_same_in_any_case(rule.column, column);
    (is_bare ? is_bare_limiting : is_full_limiting) = true;
    if (is_it) (is_bare ? is_bare_leaving : is_full_leaving) = true;
  }
  return (!is_bare_limiting || is_bare_leaving) && (!is_full_limiting || is_full_leaving);
}

std::vector<std::string> common_columns(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b) {
  ColumnsByTable both = by_table(a);
  const ColumnsByTable others = by_table(b);
  for (const auto& other : others) {
    const auto [place, is_new] = both.insert(other);
    if (is_new) continue;
    std::erase_if(place->second,
                  [&other](const std::string& one) { return !other.second.contains(one); });
    if (place->second.empty()) place->second.insert("");
  }
  std::vector<std::string> list;
  for (const auto& [table, columns] : both) {
    for (const std::string& column : columns) {
      std::string& rule = list.emplace_back(table);
      rule += '.';
      rule += column;
    }
  }
  return list;
}

}  // namespace helve
