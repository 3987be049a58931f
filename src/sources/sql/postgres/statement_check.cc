#include "sources/sql/postgres/statement_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sources/sql/postgres/allowed_functions.h"
#include "sources/sql/postgres/own_names.h"
#include "sources/sql/postgres/pg_rows.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using Kind = UsedName::Kind;

// For each name: whether the database has functions of that name that are not PostgreSQL's, and
// whether all of them only compute, without looking up objects by their numbers. A name without a
// schema that PostgreSQL has too could mean either: such functions count as not there.
constexpr std::string_view kFunctions = R"(
SELECT count(p.oid) > 0,
       coalesce(bool_and(e.oid IS NOT NULL AND p.provolatile <> 'v' AND NOT p.prosecdef
                         AND l.lanname IN ('c', 'internal', 'sql')
                         AND NOT p.proargtypes::pg_catalog.oid[]
                                 && '{24,2202,2203,2204,2205,2206,4089,4096}'::pg_catalog.oid[]),
                false)
  FROM ROWS FROM (pg_catalog.json_to_recordset($1::pg_catalog.json)
                  AS (schema pg_catalog.text, name pg_catalog.text)) WITH ORDINALITY
       AS w (schema, name, place)
  LEFT JOIN (pg_catalog.pg_proc p
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace AND n.nspname <> 'pg_catalog'
             JOIN pg_catalog.pg_language l ON l.oid = p.prolang)
    ON p.oid >= 16384 AND p.proname = w.name
       AND CASE WHEN w.schema IS NOT NULL THEN n.nspname = w.schema
                ELSE n.nspname = ANY (pg_catalog.current_schemas(false))
                     AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_proc b
                                      WHERE b.proname = w.name AND b.pronamespace = 11) END
  LEFT JOIN (pg_catalog.pg_depend d
             JOIN pg_catalog.pg_extension e
               ON e.oid = d.refobjid
                  AND e.extname = ANY (pg_catalog.string_to_array($2::pg_catalog.text, ' ')))
    ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid
       AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype = 'e'
 GROUP BY w.place ORDER BY w.place)";

// Whether values of one of the types have the columns of a table.
constexpr std::string_view kRowTypes = R"(
WITH RECURSIVE parts AS (
  SELECT t.oid FROM pg_catalog.json_to_recordset($1::pg_catalog.json)
                      AS w (schema pg_catalog.text, name pg_catalog.text)
    JOIN pg_catalog.pg_type t ON t.typname = w.name
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
         AND (w.schema IS NULL OR n.nspname = w.schema)
  UNION
  SELECT x.part FROM parts JOIN pg_catalog.pg_type t ON t.oid = parts.oid CROSS JOIN LATERAL (
    SELECT t.typelem UNION ALL SELECT t.typbasetype
    UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid
    UNION ALL SELECT a.atttypid FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
               WHERE c.oid = t.typrelid AND c.relkind = 'c' AND a.attnum > 0) x (part)
   WHERE x.part <> 0
)
SELECT count(*) > 0 FROM parts JOIN pg_catalog.pg_class c ON c.reltype = parts.oid
 WHERE c.relkind <> 'c')";

// [{"schema": ..., "name": ...}], the schema left out where the name has none.
std::string names_as_json(const std::vector<const UsedName*>& names) {
  JsonValue::Array list;
  for (const UsedName* used : names) {
    const std::string_view full = used->name;
    const std::size_t dot = full.find('.');
    JsonValue::Object one;
    if (dot != std::string_view::npos) {
      one.push_back({"schema", JsonValue(std::string(full.substr(0, dot)))});
    }
    const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
    one.push_back({"name", JsonValue(std::string(full.substr(begin)))});
    list.emplace_back(std::move(one));
  }
  return to_json(JsonValue(std::move(list)));
}

std::vector<const UsedName*> names_of(const GuardedStatement& statement, Kind kind) {
  std::vector<const UsedName*> found;
  for (const UsedName& used : *statement.names) {
    if (used.kind == kind) found.push_back(&used);
  }
  return found;
}

Result<void> check_unlisted(Connection& connection, const GuardedStatement& statement,
                            const TableQuery& query, SqlProblem& problem,
                            const OpContext& context) {
  const auto unlisted = names_of(statement, Kind::UnlistedFunction);
  if (unlisted.empty()) return {};
  HELVE_ASSIGN(
      const auto results,
      connection.query({std::string(kFunctions)},
                       {text_value(names_as_json(unlisted)),
                        text_value(fmt::format("{}", fmt::join(computing_extensions(), " ")))},
                       context));
  const PgRows rows(results[0].get());
  const std::vector<std::string>& allowed = allowed_functions(query.rules);
  for (std::size_t i = 0; i < unlisted.size(); ++i) {
    const int row = static_cast<int>(i);
    const bool is_known = row < rows.rows() && rows.truth(row, 0);
    const bool is_allowed =
        std::find(allowed.begin(), allowed.end(), unlisted[i]->name) != allowed.end();
    if (is_known && (is_allowed || rows.truth(row, 1))) continue;
    return unlisted_function_error(unlisted[i]->name, problem)
        .at("sql", sql_position(query.sql, unlisted[i]->begin));
  }
  return {};
}

Error hidden(const TableQuery& query, const UsedName& used, std::string_view what) {
  return Error(ErrorCode::Denied,
               fmt::format("{} may not be {}: it tells of tables that the policy hides",
                           used.name.substr(0, 100), what),
               "schema_inspect tells the tables and columns that may be read")
      .at("sql", sql_position(query.sql, used.begin));
}

// Names of tables and columns that the policy hides: in the catalogue, by functions and types that
// look objects up there, and by values with the columns of a table.
Result<void> check_lookups(Connection& connection, const GuardedStatement& statement,
                           const TableQuery& query, const OpContext& context) {
  for (const UsedName& used : *statement.names) {
    if (used.kind == Kind::SystemTable) return hidden(query, used, "read");
    if (used.kind == Kind::ObjectLookup) return hidden(query, used, "used");
  }
  std::vector<const UsedName*> types = names_of(statement, Kind::Type);
  const auto parts = names_of(statement, Kind::Part);  // may be casts
  types.insert(types.end(), parts.begin(), parts.end());
  std::erase_if(types, [](const UsedName* used) { return is_plain_type(used->name); });
  if (types.empty()) return {};
  HELVE_ASSIGN(const auto results, connection.query({std::string(kRowTypes)},
                                                    {text_value(names_as_json(types))}, context));
  const PgRows rows(results[0].get());
  if (rows.rows() == 1 && !rows.truth(0, 0)) return {};
  return Error(ErrorCode::Denied,
               "values with the columns of a table may not be made: they tell of columns that the "
               "policy hides",
               "name the columns of a table in FROM")
      .at("sql", sql_position(query.sql, types.front()->begin));
}

}  // namespace

Result<void> check_statement_names(Connection& connection, const GuardedStatement& statement,
                                   const TableQuery& query, MonotonicTime now, SqlProblem& problem,
                                   const OpContext& context) {
  if (statement.names == nullptr) return {};
  HELVE_ASSIGN(const auto own, connection.own_names(now, kCatalogueAge, context));
  HELVE_TRY(check_own_names(statement, query.sql, *own, allowed_functions(query.rules)));
  HELVE_TRY(check_unlisted(connection, statement, query, problem, context));
  if (query.rules == nullptr || !query.rules->is_any()) return {};
  return check_lookups(connection, statement, query, context);
}

}  // namespace helve::sql
