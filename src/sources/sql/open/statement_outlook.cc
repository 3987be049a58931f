#include "sources/sql/open/statement_outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/mysql/statement_guard.h"
#include "sources/sql/mysql/write_guard.h"
#include "sources/sql/mysql/write_target.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/sql/postgres/write_guard.h"
#include "sources/sql/postgres/write_target.h"
#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql/sqlite/sqlite_rules.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

// The schemas where a name without one may be found, as far as rules tell them apart: those that
// they name, and one that they do not.
std::set<std::string> schemas_of(const TableRules& rules) {
  std::set<std::string> schemas;
  const auto add = [&schemas](const std::vector<std::string>& names, std::ptrdiff_t dots) {
    for (const std::string& name : names) {
      if (std::count(name.begin(), name.end(), '.') != dots) continue;
      schemas.insert(ascii_lower(name.substr(0, name.find('.'))));
    }
  };
  add(rules.denied_tables, 1);
  add(rules.denied_columns, 2);
  if (rules.allowed_tables) add(*rules.allowed_tables, 1);
  if (rules.allowed_columns) add(*rules.allowed_columns, 2);
  std::string other = "public";
  while (schemas.contains(other)) other += "_";
  schemas.insert(std::move(other));
  return schemas;
}

std::set<std::string> schemas_of(const std::string& written, const TableRules& rules) {
  return written.empty() ? schemas_of(rules) : std::set<std::string>{written};
}

// An error only where all tries have one.
class Tries {
 public:
  void add(Result<void> tried) {
    has_any_ = true;
    if (tried) {
      passes_ = true;
    } else if (!error_) {
      error_ = std::move(tried).error();
    }
  }
  std::optional<Error> error() const { return has_any_ && !passes_ ? error_ : std::nullopt; }

 private:
  bool has_any_ = false;
  bool passes_ = false;
  std::optional<Error> error_;
};

StatementOutlook refused(Error error) {
  StatementOutlook outlook;
  outlook.error = std::move(error);
  return outlook;
}

StatementOutlook postgres_write(std::string_view sql, const TableRules& rules) {
  SqlProblem problem;
  const auto guarded = guard_write(sql, problem);
  if (!guarded) return refused(guarded.error());
  Tries tries;
  for (const std::string& schema : schemas_of(guarded->target.schema, rules)) {
    for (const bool is_in_path : {true, false}) {
      if (guarded->target.schema.empty() && !is_in_path) continue;
      WriteTarget target;
      target.schema = schema;
      target.name = guarded->target.name;
      target.is_in_path = is_in_path;
      tries.add(check_target(*guarded, target, sql, &rules));
    }
  }
  return {tries.error(), guarded->kind, guarded->verb};
}

StatementOutlook mysql_write(std::string_view sql, const TableRules& rules) {
  SqlProblem problem;
  const auto guarded = mysql::guard_write(sql, rules.allowed_functions, problem);
  if (!guarded) return refused(guarded.error());
  Tries tries;
  for (const std::string& default_schema : schemas_of(rules)) {
    mysql::WriteTarget target;
    target.is_there = true;
    target.is_transactional = true;
    target.default_schema = default_schema;
    target.schema = guarded->shape.schema.empty() ? default_schema : guarded->shape.schema;
    target.name = guarded->shape.table;
    tries.add(mysql::check_target(*guarded, target, sql, &rules, problem));
    if (!guarded->shape.schema.empty()) {
      target.default_schema = target.schema;
      tries.add(mysql::check_target(*guarded, target, sql, &rules, problem));
    }
  }
  return {tries.error(), guarded->shape.kind, guarded->shape.verb};
}

// SQLite itself tells which tables a statement reaches; here its words do.
StatementOutlook sqlite_write(std::string_view sql, const TableRules& rules) {
  const auto shape = sqlite_write_shape(sql);
  if (!shape) return refused(shape.error());
  StatementOutlook outlook{std::nullopt, shape->kind, shape->verb};
  const bool is_of_table = shape->kind != WriteKind::Definition || shape->verb.ends_with(" TABLE");
  if (!is_of_table || shape->table.empty() || !rules.is_any()) return outlook;
  const ReadRules reads(rules, {});
  const std::string table = ascii_lower(shape->table);
  const auto deny = [&](const std::string& what) {
    outlook.error = Error(ErrorCode::Denied, fmt::format("the policy does not allow {} here", what),
                          "change the tables and columns that the policy allows")
                        .because(ErrorReason::DeniedByPolicy)
                        .at("sql", sql_position(sql, shape->target.begin));
  };
  if (!reads.may_use(table)) deny("changes to " + shape->table);
  for (const std::string& column : shape->columns) {
    if (!outlook.error && reads.is_column_hidden(table, ascii_lower(column))) {
      deny("setting " + column);
    }
  }
  return outlook;
}

template <typename Guarded>
StatementOutlook outlook_of(const Result<Guarded>& guarded) {
  return guarded ? StatementOutlook() : refused(guarded.error());
}

}  // namespace

StatementOutlook outlook_of_read(std::string_view sql, SqlDialect dialect,
                                 const TableRules& rules) {
  SqlProblem problem;
  switch (dialect) {
    case SqlDialect::PostgreSql:
      return outlook_of(guard_statement(sql, problem));
    case SqlDialect::MySql:
      return outlook_of(mysql::check_statement(sql, rules.allowed_functions, problem));
    case SqlDialect::Sqlite:
      break;
  }
  return outlook_of(check_sqlite_statement(sql));
}

StatementOutlook outlook_of_write(std::string_view sql, SqlDialect dialect,
                                  const TableRules& rules) {
  switch (dialect) {
    case SqlDialect::PostgreSql:
      return postgres_write(sql, rules);
    case SqlDialect::MySql:
      return mysql_write(sql, rules);
    case SqlDialect::Sqlite:
      break;
  }
  return sqlite_write(sql, rules);
}

}  // namespace helve::sql
