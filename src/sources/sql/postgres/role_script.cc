#include "sources/sql/postgres/role_script.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "sources/table_source.h"

namespace helve::sql {

namespace {

// Never the user of the address: that may be the owner, who would lose all rights.
constexpr std::string_view kName = "helve_reader";

std::string in_quotes(std::string_view name) { return quote_name(name, SqlDialect::PostgreSql); }

std::string make_role(const DatabaseAddress& address, std::string_view what) {
  const std::string database = in_quotes(address.database.empty() ? "postgres" : address.database);
  return fmt::format(
      R"(-- A role that {3}. Run it with psql in the database {1}, as its
-- owner or a superuser:  psql -d {1} -f FILE
DO $do$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '{2}') THEN
    CREATE ROLE {0} LOGIN;
  END IF;
END
$do$;
ALTER ROLE {0} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 16;
ALTER ROLE {0} SET default_transaction_read_only = on;
ALTER ROLE {0} SET statement_timeout = '10min';
ALTER ROLE {0} SET idle_in_transaction_session_timeout = '1min';

-- Every role has these through PUBLIC until they are taken away: give them back to roles that need
-- them.
REVOKE TEMPORARY ON DATABASE {1} FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON DATABASE {1} FROM {0};
GRANT CONNECT ON DATABASE {1} TO {0};
)",
      in_quotes(kName), database, kName, what);
}

std::string take_schema(std::string_view schema) {
  return fmt::format(
      R"(REVOKE ALL ON SCHEMA {1} FROM {0};
REVOKE ALL ON ALL TABLES IN SCHEMA {1} FROM {0};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA {1} FROM {0};
)",
      in_quotes(kName), in_quotes(schema));
}

std::string end_of_script() {
  return fmt::format("\n-- Then give it a password, which psql asks for:  \\password {}\n",
                     in_quotes(kName));
}

}  // namespace

std::string role_script(const DatabaseAddress& address) {
  return make_role(address, "can do nothing but read") +
         "\n-- Once for each schema that may be read.\n" + take_schema("public") +
         fmt::format(R"(GRANT USAGE ON SCHEMA public TO {0};
GRANT SELECT ON ALL TABLES IN SCHEMA public TO {0};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {0};

-- To leave a table or a column out:
--   REVOKE SELECT ON public.salary FROM {0};
--   GRANT SELECT (id, name) ON public.salary TO {0};
)",
                     in_quotes(kName)) +
         end_of_script();
}

std::string policy_script(const DatabaseAddress& address, const std::vector<GrantedTable>& tables) {
  const std::string role = in_quotes(kName);
  std::string script = make_role(address, "can read what the policy allows, and do nothing else");
  std::set<std::string> schemas = {"public"};
  std::set<std::string> used;
  for (const GrantedTable& table : tables) {
    schemas.insert(table.schema);
    if (table.is_granted) used.insert(table.schema);
  }
  script += "\n-- Tables that are made later are not readable until this is run again.\n";
  for (const std::string& schema : schemas) {
    script += take_schema(schema);
    script +=
        fmt::format("ALTER DEFAULT PRIVILEGES IN SCHEMA {} REVOKE SELECT ON TABLES FROM {};\n",
                    in_quotes(schema), role);
    if (used.contains(schema)) {
      script += fmt::format("GRANT USAGE ON SCHEMA {} TO {};\n", in_quotes(schema), role);
    }
  }
  std::string taken;
  std::string given;
  for (const GrantedTable& table : tables) {
    const std::string name = in_quotes(table.schema) + "." + in_quotes(table.name);
    if (table.is_taken_from_all) taken += fmt::format("REVOKE SELECT ON {} FROM PUBLIC;\n", name);
    if (!table.is_granted) continue;
    std::string columns;
    for (const std::string& column : table.columns) {
      columns += (columns.empty() ? " (" : ", ") + in_quotes(column);
    }
    if (!columns.empty()) columns += ")";
    given += fmt::format("GRANT SELECT{} ON {} TO {};\n", columns, name, role);
  }
  if (!taken.empty()) {
    script += "\n-- Every role has these, too: give them back to roles that need them.\n" + taken;
  }
  return script + "\n" + given + end_of_script();
}

}  // namespace helve::sql
