#include "sources/sql/postgres/rules_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "sources/sql/postgres/pg_rows.h"

namespace helve::sql {

namespace {

constexpr std::size_t kShown = 10;

// All that could be read, parts of tables too.
constexpr std::string_view kReadable = R"(
SELECT n.nspname, c.relname, n.nspname = ANY (pg_catalog.current_schemas(false)),
       current_user, c.oid
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema'
   AND n.nspname NOT LIKE 'pg\_%' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
   AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
        OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
 ORDER BY 1, 2 LIMIT 100001)";

constexpr std::string_view kColumns = R"(
SELECT a.attname, pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)";

struct Readable {
  std::string schema;
  std::string name;
  bool is_in_path = false;
  std::string oid;
};

// Whether a rule names the table: "customer" or "sales.customer". What is allowed without a schema
// is only what is found without one; what is denied so is denied in all of them.
bool is_named(const Readable& table, std::string_view rule, bool is_allowed) {
  const std::size_t dot = rule.find('.');
  if (dot == std::string_view::npos) {
    return is_same_in_any_case(table.name, rule) && (table.is_in_path || !is_allowed);
  }
  return is_same_in_any_case(table.schema, rule.substr(0, dot)) &&
         is_same_in_any_case(table.name, rule.substr(dot + 1));
}

bool is_any_named(const Readable& table, const std::vector<std::string>& rules, bool is_allowed) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const std::string& rule) { return is_named(table, rule, is_allowed); });
}

std::string quoted(const Readable& table) {
  return quote_name(table.schema, SqlDialect::PostgreSql) + "." +
         quote_name(table.name, SqlDialect::PostgreSql);
}

class RulesCheck {
 public:
  RulesCheck(Connection& connection, const TableRules& rules, const OpContext& context)
      : connection_(connection), rules_(rules), context_(context) {}

  Result<void> run() {
    HELVE_TRY(read_tables());
    for (const Readable& table : tables_) {
      const bool is_outside =
          rules_.allowed_tables && !is_any_named(table, *rules_.allowed_tables, true);
      if (is_outside || is_any_named(table, rules_.denied_tables, false)) {
        add(table.schema + "." + table.name,
            fmt::format("REVOKE SELECT ON {} FROM {}, PUBLIC;", quoted(table), user_));
      }
    }
    for (const std::string& rule : rules_.denied_columns) HELVE_TRY(check_column(rule));
    if (count_ == 0) return {};
    return Error{ErrorCode::Denied,
                 fmt::format("the rules deny what the connection could read ({} in all): {}",
                             count_, fmt::join(names_, ", ")),
                 fmt::format("the rights of the role must back the rules; its owner runs:\n{}{}",
                             fmt::join(script_, "\n"), count_ > kShown ? "\n..." : "")};
  }

 private:
  Result<void> read_tables() {
    HELVE_ASSIGN(const std::vector<ResultPtr> results,
                 connection_.query({std::string(kReadable)}, {}, context_));
    const PgRows rows(results.front().get());
    constexpr int kTablesMax = 100'000;
    if (rows.rows() > kTablesMax) {
      return Error{ErrorCode::Denied, "there are too many tables to check the rules for",
                   "give the role rights on fewer tables"};
    }
    for (int row = 0; row < rows.rows(); ++row) {
      user_ = quote_name(rows.text(row, 3), SqlDialect::PostgreSql);
      tables_.push_back(
          {rows.text(row, 0), rows.text(row, 1), rows.truth(row, 2), rows.text(row, 4)});
    }
    return {};
  }

  // "customer.email" or "sales.customer.email".
  Result<void> check_column(const std::string& rule) {
    const std::size_t dot = rule.rfind('.');
    if (dot == std::string::npos) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the denied column {} has no table before it", rule),
                   "write it as table.column"};
    }
    const std::string_view table_rule = std::string_view(rule).substr(0, dot);
    const std::string_view column = std::string_view(rule).substr(dot + 1);
    for (const Readable& table : tables_) {
      if (is_named(table, table_rule, false)) HELVE_TRY(check_column_of(table, column));
    }
    return {};
  }

  Result<void> check_column_of(const Readable& table, std::string_view column) {
    HELVE_ASSIGN(const std::vector<ResultPtr> results,
                 connection_.query({std::string(kColumns)},
                                   {rdf::Term(rdf::TermView::literal(table.oid))}, context_));
    const PgRows rows(results.front().get());
    std::vector<std::string> others;
    bool is_readable = false;
    for (int row = 0; row < rows.rows(); ++row) {
      const std::string name = rows.text(row, 0);
      if (is_same_in_any_case(name, column)) {
        is_readable = is_readable || rows.truth(row, 1);
      } else if (rows.truth(row, 1)) {
        others.push_back(quote_name(name, SqlDialect::PostgreSql));
      }
    }
    if (is_readable) {
      add(fmt::format("{}.{}.{}", table.schema, table.name, column),
          fmt::format("REVOKE SELECT ON {0} FROM {1}, PUBLIC; GRANT SELECT ({2}) ON {0} TO {1};",
                      quoted(table), user_, fmt::join(others, ", ")));
    }
    return {};
  }

  void add(std::string name, std::string statement) {
    if (++count_ > kShown) return;
    names_.push_back(std::move(name));
    script_.push_back(std::move(statement));
  }

  Connection& connection_;
  const TableRules& rules_;
  const OpContext& context_;
  std::vector<Readable> tables_;
  std::string user_;
  std::size_t count_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> script_;
};

}  // namespace

Result<void> check_rules(Connection& connection, const TableRules& rules,
                         const OpContext& context) {
  if (!rules.is_any()) return {};
  return RulesCheck(connection, rules, context).run();
}

}  // namespace helve::sql
