#include "sources/sql/postgres/rights_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sources/sql/postgres/pg_rows.h"

namespace helve::sql {

namespace {

constexpr int kShown = 20;  // of each kind

constexpr std::string_view kRole = R"(
SELECT r.rolname, r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolbypassrls,
       pg_catalog.current_database(),
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMPORARY')
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)";

// Roles that are more than readers, which the user is in: of PostgreSQL itself, and of others.
constexpr std::string_view kRoles = R"(
SELECT r.rolname FROM pg_catalog.pg_roles r
 WHERE r.rolname <> current_user AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')
   AND (r.rolsuper OR r.rolcreatedb OR r.rolcreaterole OR r.rolreplication OR r.rolbypassrls
        OR r.rolname IN ('pg_read_server_files', 'pg_write_server_files',
                         'pg_execute_server_program', 'pg_write_all_data', 'pg_signal_backend',
                         'pg_checkpoint', 'pg_maintain', 'pg_create_subscription'))
 ORDER BY 1 LIMIT 21)";

constexpr std::string_view kWritableTables = R"(
SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), w.may,
       pg_catalog.count(*) OVER ()
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL (SELECT pg_catalog.concat_ws(', ',
         CASE WHEN pg_catalog.has_any_column_privilege(c.oid, 'INSERT') THEN 'insert into' END,
         CASE WHEN pg_catalog.has_any_column_privilege(c.oid, 'UPDATE') THEN 'update' END,
         CASE WHEN pg_catalog.has_table_privilege(c.oid, 'DELETE') THEN 'delete from' END,
         CASE WHEN pg_catalog.has_table_privilege(c.oid, 'TRUNCATE') THEN 'truncate' END,
         CASE WHEN pg_catalog.has_table_privilege(c.oid, 'TRIGGER') THEN 'add triggers to' END)
         AS may) w
 WHERE c.relkind IN ('r', 'p', 'v', 'f') AND w.may <> '' AND n.nspname NOT LIKE 'pg\_%'
   AND n.nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
 ORDER BY n.nspname, c.relname LIMIT 20)";

constexpr std::string_view kSchemas = R"(
SELECT n.nspname FROM pg_catalog.pg_namespace n
 WHERE pg_catalog.has_schema_privilege(n.oid, 'CREATE') AND n.nspname NOT LIKE 'pg\_%'
   AND n.nspname <> 'information_schema' ORDER BY 1 LIMIT 20)";

constexpr std::string_view kSequences = R"(
SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE CASE WHEN c.relkind = 'S' THEN pg_catalog.has_schema_privilege(n.oid, 'USAGE')
            AND pg_catalog.has_sequence_privilege(c.oid, 'USAGE, UPDATE') ELSE false END
 ORDER BY 1 LIMIT 20)";

// Extensions that reach beyond the database, and functions that act with their owner's rights.
constexpr std::string_view kOwnerFunctions = R"(
SELECT DISTINCT CASE WHEN e.extname IS NULL
         THEN pg_catalog.format('call %I.%I(), which acts with the rights of its owner', n.nspname,
                                p.proname)
         ELSE pg_catalog.format('call functions of the extension %I', e.extname) END
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass
       AND d.objid = p.oid AND d.refclassid = 'pg_catalog.pg_extension'::regclass
       AND d.deptype = 'e'
  LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
 WHERE ((e.extname IS NULL AND p.prosecdef AND p.provolatile = 'v' AND n.nspname NOT LIKE 'pg\_%'
         AND p.proowner <> current_user::pg_catalog.regrole)
        OR e.extname IN ('dblink', 'adminpack', 'pageinspect', 'file_fdw', 'http', 'pg_net',
                         'pg_cron', 'lo', 'pg_surgery', 'pg_freespacemap', 'pgrowlocks', 'aws_s3'))
   AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
   AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE') ORDER BY 1 LIMIT 20)";

void add_role(const PgRows& rows, SourceRights& rights) {
  constexpr std::pair<int, std::string_view> kFlags[] = {
      {1, "is a superuser: everything is open to it, files and programs of the server too"},
      {2, "may create databases"},
      {3, "may create roles"},
      {4, "may replicate the server"},
      {5, "is not bound by row security"},
  };
  if (rows.rows() == 0) {
    rights.notes.emplace_back("the role of the connection is not in pg_roles");
    return;
  }
  rights.user = rows.text(0, 0);
  for (const auto& [column, words] : kFlags) {
    if (rows.truth(0, column)) rights.beyond_reading.emplace_back(words);
  }
  const std::string database = rows.text(0, 6);
  if (rows.truth(0, 7)) {
    rights.beyond_reading.push_back("may create schemas in the database " + database);
  }
  if (rows.truth(0, 8)) {
    rights.beyond_reading.push_back("may create temporary tables in the database " + database);
  }
}

void add_each(const PgRows& rows, std::string_view before, SourceRights& rights) {
  for (int row = 0; row < rows.rows() && row < kShown; ++row) {
    rights.beyond_reading.push_back(fmt::format("{}{}", before, rows.text(row, 0)));
  }
}

}  // namespace

Result<SourceRights> read_rights(Connection& connection, const OpContext& context) {
  HELVE_ASSIGN(const std::vector<ResultPtr> results,
               connection.query(
                   {std::string(kRole), std::string(kRoles), std::string(kWritableTables),
                    std::string(kSchemas), std::string(kSequences), std::string(kOwnerFunctions)},
                   {}, context));
  SourceRights rights;
  add_role(PgRows(results[0].get()), rights);
  add_each(PgRows(results[1].get()), "may act as the role ", rights);
  const PgRows tables(results[2].get());
  for (int row = 0; row < tables.rows(); ++row) {
    rights.beyond_reading.push_back(
        fmt::format("may {} {}", tables.text(row, 1), tables.text(row, 0)));
  }
  if (tables.rows() > 0 && tables.number<int>(0, 2) > tables.rows()) {
    rights.beyond_reading.push_back(
        fmt::format("may change {} more tables", tables.number<int>(0, 2) - tables.rows()));
  }
  add_each(PgRows(results[3].get()), "may create tables and functions in the schema ", rights);
  add_each(PgRows(results[4].get()), "may step the sequence ", rights);
  add_each(PgRows(results[5].get()), "may ", rights);
  rights.is_least = rights.beyond_reading.empty();
  return rights;
}

}  // namespace helve::sql
