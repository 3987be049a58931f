// Functions, operators and types that a database has of its own, against a server.
#include <fmt/format.h>

#include "sources/sql/postgres/live/postgres_live_testing.h"
#include "sources/table_writer.h"

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
        "SELECT ('1'::text).dom", "SELECT ('{1}'::text)._dom",
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

// An operator = of somebody else's: for texts and numbers, which PostgreSQL does not compare.
TEST_F(PostgresOwnNames, OperatorsWithPostgresNamesCloseNothingElse) {
  for (const std::string sql :
       {"CREATE SCHEMA shop", "GRANT USAGE ON SCHEMA shop TO reader, shopkeeper",
        "CREATE TABLE shop.item (id int, name text)", "INSERT INTO shop.item VALUES (1, '1')",
        "GRANT SELECT ON shop.item TO reader", "GRANT SELECT, UPDATE ON shop.item TO shopkeeper",
        "CREATE FUNCTION shop.same(text, integer) RETURNS boolean LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_advisory_lock(7); RETURN true; END$$",
        "CREATE OPERATOR shop.= (FUNCTION = shop.same, LEFTARG = text, RIGHTARG = integer)"}) {
    if (sql == "CREATE SCHEMA shop") execute("CREATE ROLE shopkeeper LOGIN");
    execute(sql);
  }
  const auto open_shop = [](const std::string& user, bool is_writable) {
    DatabaseOptions options = options_for(user, server_->socket());
    options.address.options.emplace_back("search_path", "shop, data");
    options.is_writable = is_writable;
    return *open_postgres(std::move(options), real_env());
  };
  source_ = open_shop("reader", false);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(only("SELECT name FROM shop.item WHERE id = 1"), "1");
    EXPECT_EQ(only("SELECT CASE id WHEN 1 THEN 'one' END FROM shop.item"), "one");
    EXPECT_EQ(only("SELECT count(*) FROM edge"), "99^integer");  // data is searched still
    EXPECT_EQ(error("SELECT id FROM shop.item WHERE name = 1").code, ErrorCode::InvalidInput);
    EXPECT_EQ(error("SELECT id FROM item").code, ErrorCode::NotFound);
  }
  const auto catalogue = source_->catalogue(within(20'000), true);
  ASSERT_TRUE(catalogue.has_value());
  EXPECT_EQ((*catalogue)->default_schema, "data");
  source_ = open_shop("shopkeeper", true);
  TableWrite write;
  write.sql = "UPDATE shop.item SET name = '2' WHERE name = 1";
  SqlProblem problem;
  auto transaction = source_->writer()->begin(within(20'000));
  ASSERT_TRUE(transaction.has_value()) << transaction.error().to_string();
  EXPECT_TRUE((*transaction)->run(write, nullptr, within(20'000)).error);
  EXPECT_EQ(value_of("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
}

TEST_F(PostgresOwnNames, FunctionsThatThePolicyAllowsAreCalled) {
  for (const std::string sql :
       {"CREATE SCHEMA own", "GRANT USAGE ON SCHEMA own TO reader",
        "CREATE FUNCTION own.score(integer) RETURNS integer LANGUAGE plpgsql AS "
        "$$BEGIN RETURN $1 * 10; END$$",
        "CREATE FUNCTION own.\"left\"(integer) RETURNS text LANGUAGE sql AS $$SELECT 'own'$$"}) {
    execute(sql);
  }
  DatabaseOptions options = options_for("reader", server_->socket());
  options.address.options.emplace_back("search_path", "own, data");
  source_ = *open_postgres(std::move(options), real_env());
  const auto run_with = [this](const std::string& sql, std::vector<std::string> functions) {
    TableRules rules;
    rules.allowed_functions = std::move(functions);
    TableQuery query;
    query.sql = sql;
    query.rules = std::make_shared<const TableRules>(std::move(rules));
    TextSink sink;
    const TableRun done = source_->run(query, sink, within(20'000));
    return done.error ? std::string(error_code_name(done.error->code)) : sink.rows.at(0);
  };
  EXPECT_EQ(run_with("SELECT score(2)", {}), "denied");
  EXPECT_EQ(run_with("SELECT score(2)", {"score"}), "20^integer");
  EXPECT_EQ(run_with("SELECT own.score(2)", {"score"}), "denied");
  EXPECT_EQ(run_with("SELECT own.score(2)", {"own.score"}), "20^integer");
  EXPECT_EQ(run_with("SELECT score(2)", {"own.score"}), "denied");
  EXPECT_EQ(run_with("SELECT \"left\"(1)", {"left"}), "own");
  EXPECT_EQ(run_with("SELECT \"left\"(1)", {}), "denied");
  // No policy opens PostgreSQL's own, nor what is not there.
  for (const std::string function :
       {"pg_sleep", "pg_read_file", "lo_import", "nextval", "table_to_xml", "dblink", "lastval"}) {
    EXPECT_EQ(run_with("SELECT " + function + "('x')", {function, "pg_catalog." + function}),
              "denied")
        << function;
  }
  TextSink sink;
  const TableRun unknown = run("SELECT lenght('a')", sink);
  ASSERT_TRUE(unknown.error);
  EXPECT_EQ(unknown.problem.kind, SqlProblem::Kind::UnknownFunction);
  EXPECT_THAT(unknown.error->hint, ::testing::HasSubstr("length"));
}

TEST_F(PostgresOwnNames, FunctionsOfExtensionsThatRunNothingAreCalledByTheirNames) {
  for (const std::string extension : {"pg_trgm", "fuzzystrmatch", "tablefunc"}) {
    if (value_of("SELECT 1 FROM pg_available_extensions WHERE name = '" + extension + "'")
            .empty()) {
      GTEST_SKIP() << "there is no extension " << extension << " here";
    }
  }
  for (const std::string sql :
       {"CREATE SCHEMA tools", "GRANT USAGE ON SCHEMA tools TO reader",
        "CREATE EXTENSION pg_trgm SCHEMA tools", "CREATE EXTENSION fuzzystrmatch SCHEMA tools",
        "CREATE EXTENSION tablefunc SCHEMA tools"}) {
    execute(sql);
  }
  DatabaseOptions options = options_for("reader", server_->socket());
  options.address.options.emplace_back("search_path", "tools, data");
  source_ = *open_postgres(std::move(options), real_env());
  EXPECT_EQ(only("SELECT similarity('abc', 'abc') > 0.9"), "true^boolean");
  EXPECT_EQ(only("SELECT tools.levenshtein('abc', 'abd')"), "1^integer");
  EXPECT_EQ(only("SELECT 'abc' % 'abc'"), "true^boolean");
  // Volatile, and what runs SQL that is given as text.
  EXPECT_EQ(error("SELECT set_limit(0.5)").code, ErrorCode::Denied);
  EXPECT_EQ(error("SELECT * FROM crosstab('SELECT 1, 2, 3') AS c(a int, b int)").code,
            ErrorCode::Denied);
  // A function of one's own with the same name closes it.
  execute("CREATE FUNCTION tools.similarity(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'");
  EXPECT_EQ(error("SELECT similarity('abc', 'abc')").code, ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::sql
