#include "sources/sql/write_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sources/sql_tokens.h"
#include "sources/table_rules.h"

namespace helve::sql {

namespace {

constexpr std::size_t kNameCharsMax = 200;

bool is_named(std::string_view rule, std::string_view schema, std::string_view name) {
  const std::size_t dot = rule.find('.');
  if (dot == std::string_view::npos) return is_same_in_any_case(rule, name);
  const bool is_schema = schema.empty() || is_same_in_any_case(rule.substr(0, dot), schema);
  return is_schema && is_same_in_any_case(rule.substr(dot + 1), name);
}

// "customer.email" or "sales.customer.email".
std::pair<std::string_view, std::string_view> split(std::string_view rule) {
  const std::size_t dot = rule.rfind('.');
  if (dot == std::string_view::npos) return {rule, {}};
  return {rule.substr(0, dot), rule.substr(dot + 1)};
}

}  // namespace

std::string shown_name(std::string_view schema, std::string_view name) {
  return schema.empty() ? std::string(name) : fmt::format("{}.{}", schema, name);
}

bool WriteRules::is_denied(std::string_view schema, std::string_view name) const {
  return std::any_of(rules_.denied_tables.begin(), rules_.denied_tables.end(),
                     [&](const std::string& rule) { return is_named(rule, schema, name); });
}

bool WriteRules::is_allowed(std::string_view schema, std::string_view name, bool is_in_path) const {
  if (!rules_.allowed_tables) return true;
  return std::any_of(rules_.allowed_tables->begin(), rules_.allowed_tables->end(),
                     [&](const std::string& rule) {
                       const bool has_schema = rule.find('.') != std::string::npos;
                       if (has_schema ? schema.empty() : !is_in_path) return false;
                       return is_named(rule, schema, name);
                     });
}

bool WriteRules::has_column_rules(std::string_view schema, std::string_view name) const {
  const auto is_of_it = [&](const std::string& rule) {
    return is_named(split(rule).first, schema, name);
  };
  const auto& denied_columns = rules_.denied_columns;
  if (std::any_of(denied_columns.begin(), denied_columns.end(), is_of_it)) return true;
  const auto& allowed = rules_.allowed_columns;
  return allowed && std::any_of(allowed->begin(), allowed->end(), is_of_it);
}

Error WriteRules::denied(std::string message, std::string hint) const {
  return Error(ErrorCode::Denied, std::move(message), std::move(hint))
      .because(ErrorReason::DeniedByPolicy)
      .at("sql", sql_position(sql_, byte_));
}

Error WriteRules::denied(std::string_view what) const {
  return denied(fmt::format("the policy does not allow {} here", what),
                "change the tables and columns that the policy allows");
}

Result<void> WriteRules::check_table(std::string_view schema, std::string_view name,
                                     bool is_in_path) const {
  if (is_allowed(schema, name, is_in_path) && !is_denied(schema, name)) return {};
  return denied(fmt::format("changes to {}", shown_name(schema, name).substr(0, kNameCharsMax)));
}

Result<void> WriteRules::check_columns(std::string_view schema, std::string_view name,
                                       const SetColumns& set) const {
  if (!has_column_rules(schema, name)) return {};
  if (set.kind == WriteKind::Definition) {
    return denied("a definition of a table some columns of which it hides");
  }
  if (set.kind == WriteKind::Replace) {
    return denied("replacing rows of a table some columns of which it hides");
  }
  if (set.are_all) {
    return denied("the policy hides columns of this table: an INSERT has to name those it sets",
                  "write INSERT INTO table (column, ...)");
  }
  for (const std::string& column : set.names) {
    if (!is_column_allowed(schema, name, column)) {
      return denied(fmt::format("setting {}", column.substr(0, kNameCharsMax)));
    }
  }
  return {};
}

bool WriteRules::is_column_allowed(std::string_view schema, std::string_view name,
                                   std::string_view column) const {
  const auto is_it = [&](const std::string& rule) {
    const auto [table, of_table] = split(rule);
    return is_named(table, schema, name) && is_same_in_any_case(of_table, column);
  };
  const auto& denied_columns = rules_.denied_columns;
  if (std::any_of(denied_columns.begin(), denied_columns.end(), is_it)) return false;
  return leaves_column(rules_, schema, name, column);
}

}  // namespace helve::sql
