// Functions, operators and types that a database has of its own, against a server.
#include <fmt/format.h>

#include "sources/sql/postgres/live/postgres_live_testing.h"

namespace helve::sql {
namespace {

class PostgresOwnNames : public PostgresLive {
 protected:
  static std::shared_ptr<const TableSource> open_mine(const std::string& user) {
    DatabaseOptions options = options_for(user, server_->socket());
    options.address.options.emplace_back("search_path", "mine, extended, public");
    return *open_postgres(std::move(options), real_env());
  }
  std::string only(const std::string& sql) {
    const auto found = rows(sql);
    return found.size() == 1 ? found.front() : fmt::format("{} rows", found.size());
  }
};

TEST_F(PostgresOwnNames, FunctionsOfTheDatabaseAreNotCalledByOtherNames) {
  for (const std::string sql :
       {"CREATE SCHEMA mine", "GRANT USAGE ON SCHEMA mine TO reader",
        "CREATE FUNCTION mine.left(integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS "
        "$$BEGIN PERFORM pg_advisory_lock(1); RETURN 'mine'; END$$",
        "CREATE FUNCTION mine.opf(integer, integer) RETURNS text LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM set_config('a.b', 'c', false); RETURN 'mine'; END$$",
        "CREATE OPERATOR mine.@#@ (FUNCTION = mine.opf, LEFTARG = integer, RIGHTARG = integer)",
        "CREATE FUNCTION mine.fine(integer, integer) RETURNS integer IMMUTABLE LANGUAGE sql AS "
        "'SELECT 1'",
        "CREATE OPERATOR mine.@!@ (FUNCTION = mine.fine, LEFTARG = integer, RIGHTARG = integer)",
        "CREATE TYPE mine.ty AS (a integer)",
        "CREATE FUNCTION mine.castf(integer) RETURNS mine.ty LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_notify('a', 'b'); RETURN ROW($1)::mine.ty; END$$",
        "CREATE CAST (integer AS mine.ty) WITH FUNCTION mine.castf(integer)",
        "CREATE FUNCTION mine.chk(integer) RETURNS boolean LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_notify('a', 'b'); RETURN true; END$$",
        "CREATE DOMAIN mine.dom AS integer CHECK (mine.chk(VALUE))",
        "CREATE DOMAIN mine.plain AS integer CHECK (VALUE > 0)",
        "CREATE TABLE mine.holds (d mine.dom)", "CREATE TYPE mine.mood AS ENUM ('good')",
        "CREATE FUNCTION mine.note(data.t) RETURNS text LANGUAGE sql AS $$SELECT 'mine'$$",
        "CREATE TABLE mine.notes (note text)"}) {
    execute(sql);
  }
  source_ = open_mine("reader");
  for (const std::string sql :
       {"SELECT left(5)", "SELECT left('abc', 1)", "SELECT 1 @#@ 2", "SELECT 1 @!@ 2",
        "SELECT 1 WHERE 1 @#@ 2 = ''", "SELECT CAST(1 AS mine.ty)", "SELECT 1::ty",
        "SELECT 1::mine.dom", "SELECT ARRAY[1]::dom[]", "SELECT 'x'::_dom",
        "SELECT * FROM json_to_record('{\"a\": 1}') AS x(a dom)",
        "SELECT json_populate_record(NULL::holds, '{\"d\": 1}')", "SELECT v.note FROM data.t v"}) {
    EXPECT_EQ(error(sql).code, ErrorCode::Denied) << sql;
  }
  EXPECT_EQ(error("SELECT 1,\n 1 @#@ 2").position->line, 2U);
  EXPECT_EQ(only("SELECT pg_catalog.left('abc', 1)"), "a");
  EXPECT_EQ(only("SELECT right('abc', 1)"), "c");
  EXPECT_EQ(only("SELECT 1::plain"), "1^integer");
  EXPECT_EQ(only("SELECT 'good'::mood"), "good");
  EXPECT_EQ(only("SELECT count(*) FROM pg_settings WHERE name = 'data_directory'"), "0^integer");
  EXPECT_EQ(only("SELECT substring('abc' FROM 2)"), "bc");
  source_ = open("postgres");
  EXPECT_EQ(error("SELECT setting FROM pg_settings WHERE name = 'data_directory'").code,
            ErrorCode::Denied);
}

// Their functions overload PostgreSQL's, and compute.
TEST_F(PostgresOwnNames, FunctionsOfExtensionsThatComputeAreCalled) {
  if (value_of("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'").empty()) {
    GTEST_SKIP() << "there is no extension citext here";
  }
  execute("CREATE SCHEMA extended");
  execute("CREATE EXTENSION citext SCHEMA extended");
  execute("GRANT USAGE ON SCHEMA extended TO reader");
  source_ = open_mine("reader");
  EXPECT_EQ(only("SELECT max(x) FROM (VALUES ('a'::citext), ('B')) v(x)"), "B");
  EXPECT_EQ(only("SELECT 'A'::citext = 'a'"), "true^boolean");
  EXPECT_EQ(only("SELECT replace('Abc'::citext, 'a'::citext, 'x')"), "xbc");
}

}  // namespace
}  // namespace helve::sql
