#include "sources/sql/postgres/write_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Target = GuardedWrite::Target;

GuardedWrite passed(const std::string& sql) {
  SqlProblem problem;
  auto write = guard_write(sql, problem);
  EXPECT_TRUE(write) << sql << ": " << write.error().to_string();
  return write ? *write : GuardedWrite{};
}

ErrorCode refusal(const std::string& sql) {
  SqlProblem problem;
  const auto write = guard_write(sql, problem);
  EXPECT_FALSE(write) << sql;
  return write ? ErrorCode::Internal : write.error().code;
}

TEST(PostgresWriteGuard, TellsWhatIsChanged) {
  const auto insert = passed("INSERT INTO a.t (x, y) VALUES ($1, DEFAULT) RETURNING id;");
  EXPECT_EQ(insert.kind, WriteKind::Insert);
  EXPECT_EQ(insert.verb, "INSERT");
  EXPECT_EQ(insert.target.schema, "a");
  EXPECT_EQ(insert.target.name, "t");
  EXPECT_THAT(insert.columns, ElementsAre("x", "y"));
  EXPECT_EQ(insert.statement.parameters, 1U);
  EXPECT_FALSE(insert.sets_all_columns);
  EXPECT_FALSE(insert.updates);
  const auto upsert = passed(
      "INSERT INTO t AS z VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b, (c, d) = "
      "(SELECT 1, 2)");
  EXPECT_TRUE(upsert.sets_all_columns);
  EXPECT_TRUE(upsert.updates);
  EXPECT_THAT(upsert.columns, ElementsAre("b", "c", "d"));
  EXPECT_FALSE(passed("INSERT INTO t DEFAULT VALUES").sets_all_columns);
  const auto update = passed("WITH x AS (SELECT 1 AS a) UPDATE T SET a = x.a FROM x WHERE t.b = 2");
  EXPECT_EQ(update.kind, WriteKind::Update);
  EXPECT_EQ(update.target.name, "t");
  EXPECT_THAT(update.columns, ElementsAre("a"));
  const auto gone = passed("DELETE FROM \"T\" USING u WHERE u.id = \"T\".id");
  EXPECT_EQ(gone.target.name, "T");
  EXPECT_TRUE(gone.deletes);
  EXPECT_THAT(gone.columns, IsEmpty());
  const auto merge = passed(
      "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND u.x > 1 THEN UPDATE SET a = 1 WHEN "
      "MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (b) VALUES (1)");
  EXPECT_EQ(merge.kind, WriteKind::Merge);
  EXPECT_TRUE(merge.updates && merge.deletes && merge.inserts);
  EXPECT_FALSE(merge.sets_all_columns);
  EXPECT_THAT(merge.columns, ElementsAre("a", "b"));
}

TEST(PostgresWriteGuard, SeesSequences) {
  EXPECT_TRUE(passed("INSERT INTO t VALUES (nextval('s'))").steps_sequence);
  EXPECT_TRUE(passed("UPDATE t SET a = pg_catalog.nextval('s')").steps_sequence);
  EXPECT_FALSE(passed("UPDATE t SET a = currval('s') + lastval()").steps_sequence);
}

TEST(PostgresWriteGuard, Definitions) {
  const auto made = passed(
      "CREATE TABLE IF NOT EXISTS s.t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b text NOT "
      "NULL DEFAULT 'x' CHECK (b <> ''), c int REFERENCES u (id) ON DELETE CASCADE, UNIQUE (b))");
  EXPECT_EQ(made.kind, WriteKind::Definition);
  EXPECT_EQ(made.verb, "CREATE TABLE");
  EXPECT_EQ(made.target_kind, Target::New);
  EXPECT_EQ(made.target.schema, "s");
  ASSERT_EQ(made.references.size(), 1U);
  EXPECT_EQ(made.references[0].name, "u");
  EXPECT_EQ(
      passed("CREATE UNIQUE INDEX i ON t USING gin (lower(a), b text_pattern_ops) INCLUDE (c) "
             "WHERE d > 1")
          .target.name,
      "t");
  EXPECT_EQ(passed("CREATE TABLE t AS SELECT 1 AS a").verb, "CREATE TABLE AS");
  EXPECT_EQ(passed("CREATE MATERIALIZED VIEW v AS SELECT 1").verb, "CREATE MATERIALIZED VIEW");
  EXPECT_EQ(passed("CREATE OR REPLACE VIEW v (a) AS SELECT 1").target_kind, Target::New);
  EXPECT_EQ(passed("CREATE SCHEMA s").target_kind, Target::Schema);
  EXPECT_EQ(
      passed("ALTER TABLE t ADD COLUMN a int DEFAULT 1, DROP COLUMN b, ALTER c TYPE text USING "
             "c::text, ALTER d SET NOT NULL, ADD CONSTRAINT z CHECK (a > 1), DROP CONSTRAINT y")
          .verb,
      "ALTER TABLE");
  EXPECT_TRUE(passed("ALTER TABLE t DROP COLUMN b CASCADE").has_cascade);
  EXPECT_TRUE(passed("ALTER TABLE t RENAME COLUMN a TO b").renames);
  EXPECT_TRUE(passed("ALTER TABLE t RENAME TO b").renames);
  EXPECT_EQ(passed("DROP TABLE IF EXISTS a.t").target.schema, "a");
  EXPECT_TRUE(passed("DROP TABLE t CASCADE").has_cascade);
  EXPECT_EQ(passed("DROP INDEX a.i").target_kind, Target::Index);
  EXPECT_EQ(passed("DROP VIEW v").verb, "DROP VIEW");
  EXPECT_TRUE(passed("TRUNCATE t RESTART IDENTITY CASCADE").has_cascade);
  EXPECT_EQ(passed("COMMENT ON TABLE a.t IS 'x'").target.name, "t");
  const auto comment = passed("COMMENT ON COLUMN a.t.c IS 'x'");
  EXPECT_EQ(comment.target.schema, "a");
  EXPECT_EQ(comment.target.name, "t");
}

class RefusedWrite : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedWrite, IsDenied) { EXPECT_EQ(refusal(GetParam()), ErrorCode::Denied); }

INSTANTIATE_TEST_SUITE_P(
    Data, RefusedWrite,
    ::testing::Values(
        "SELECT 1", "TABLE t", "VALUES (1)", "SHOW search_path", "EXPLAIN UPDATE t SET a = 1",
        "EXPLAIN ANALYZE DELETE FROM t", "DELETE FROM t; DROP TABLE u",
        "INSERT INTO t VALUES (1); SELECT 1", "SELECT 1 INTO t",
        "WITH x AS (DELETE FROM u RETURNING *) INSERT INTO t SELECT * FROM x",
        "WITH x AS (INSERT INTO u VALUES (1) RETURNING 1) UPDATE t SET a = 1",
        "WITH x AS (UPDATE u SET a = 1) DELETE FROM t",
        "WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x",
        "INSERT INTO t SELECT * FROM u FOR UPDATE", "UPDATE t SET a = 1 WHERE CURRENT OF c",
        "UPDATE t SET a = pg_read_file('/etc/passwd')", "INSERT INTO t SELECT lo_import('/x')",
        "INSERT INTO t SELECT * FROM pg_catalog.dblink('host=x', 'DELETE FROM u') AS d(a int)",
        "DELETE FROM t WHERE a = pg_catalog.setval('s', 1)",
        "UPDATE t SET a = set_config('role', 'x', false)",
        "UPDATE t SET a = pg_terminate_backend(1)", "UPDATE t SET a = pg_advisory_lock(1)",
        "INSERT INTO t SELECT query_to_xml('DELETE FROM u', true, true, '')",
        "INSERT INTO t (a) VALUES (1) RETURNING pg_notify('a', 'b')",
        "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = lo_unlink(1)",
        "INSERT INTO t VALUES (1) ON CONFLICT (pg_sleep_x(a)) DO NOTHING",
        "UPDATE t SET a = db.evil.f()", "UPDATE t SET a = 1 WHERE b OPERATOR(evil.=) 1",
        "INSERT INTO t SELECT * FROM pg_authid", "INSERT INTO t SELECT passwd FROM pg_shadow",
        "MERGE INTO t USING u ON true WHEN MATCHED THEN UPDATE SET a = lo_creat(1)",
        "INSERT INTO other.s.t VALUES (1)"));

INSTANTIATE_TEST_SUITE_P(
    Commands, RefusedWrite,
    ::testing::Values("COPY t FROM '/etc/passwd'", "COPY t TO PROGRAM 'sh'", "COPY t FROM STDIN",
                      "DO $$BEGIN DELETE FROM t; END$$", "CALL p()", "SET ROLE postgres",
                      "RESET ALL", "SET SESSION AUTHORIZATION x", "SET search_path = evil",
                      "GRANT ALL ON t TO PUBLIC", "REVOKE ALL ON t FROM x", "LOCK TABLE t",
                      "VACUUM t", "ANALYZE t", "CLUSTER t", "REINDEX TABLE t", "BEGIN", "COMMIT",
                      "ROLLBACK", "SAVEPOINT s", "PREPARE p AS DELETE FROM t", "EXECUTE p",
                      "DEALLOCATE ALL", "DISCARD ALL", "LISTEN x", "NOTIFY x", "LOAD 'x'",
                      "CHECKPOINT", "DECLARE c CURSOR FOR SELECT 1", "REFRESH MATERIALIZED VIEW v",
                      "SET CONSTRAINTS ALL DEFERRED", "SECURITY LABEL ON TABLE t IS 'x'",
                      "PREPARE TRANSACTION 'x'",
                      "IMPORT FOREIGN SCHEMA a FROM "
                      "SERVER b INTO c"));

INSTANTIATE_TEST_SUITE_P(
    Definitions, RefusedWrite,
    ::testing::Values(
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE PROCEDURE p() LANGUAGE sql AS 'SELECT 1'",
        "CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()",
        "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING", "CREATE EXTENSION dblink",
        "CREATE ROLE x", "ALTER ROLE x SUPERUSER", "CREATE USER x", "DROP ROLE x",
        "CREATE SERVER s FOREIGN DATA WRAPPER w", "CREATE FOREIGN TABLE t (a int) SERVER s",
        "CREATE DATABASE d", "DROP DATABASE d", "CREATE TABLESPACE x LOCATION '/x'",
        "CREATE OPERATOR = (LEFTARG = int, RIGHTARG = int, FUNCTION = f)",
        "CREATE CAST (int AS text) "
        "WITHOUT FUNCTION",
        "CREATE TYPE x AS ENUM ('a')", "CREATE DOMAIN d AS int CHECK (f(VALUE))",
        "CREATE POLICY p ON t USING (true)",
        "CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE "
        "FUNCTION f()",
        "CREATE PUBLICATION p FOR ALL TABLES", "CREATE STATISTICS s ON a, b FROM t",
        "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION y", "CREATE SEQUENCE s",
        "CREATE INDEX CONCURRENTLY i ON t (a)", "DROP INDEX CONCURRENTLY i",
        "CREATE INDEX i ON t (evil(a))", "CREATE INDEX i ON t (a evil_ops)",
        "CREATE INDEX i ON t USING bloom (a)", "CREATE INDEX i ON t (a) TABLESPACE x",
        "CREATE TEMP TABLE t (a int)", "CREATE TABLE t (LIKE u INCLUDING ALL)",
        "CREATE TABLE t () INHERITS (u)", "CREATE TABLE t PARTITION OF u FOR VALUES IN (1)",
        "CREATE TABLE t (a int DEFAULT evil())", "CREATE TABLE t (a int) TABLESPACE x",
        "CREATE TABLE t OF x", "CREATE TABLE t AS EXECUTE p", "CREATE TABLE t AS SELECT evil()",
        "CREATE VIEW v AS SELECT pg_read_file('x')", "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE SCHEMA s AUTHORIZATION x", "CREATE SCHEMA s CREATE TABLE t (a int)",
        "DROP SCHEMA s CASCADE", "DROP FUNCTION f()", "DROP TABLE t, u", "DROP TRIGGER g ON t",
        "TRUNCATE t, u", "ALTER TABLE t OWNER TO x", "ALTER TABLE t DISABLE TRIGGER ALL",
        "ALTER TABLE t DISABLE ROW LEVEL SECURITY", "ALTER TABLE t SET TABLESPACE x",
        "ALTER TABLE t INHERIT u", "ALTER TABLE t ATTACH PARTITION p FOR VALUES IN (1)",
        "ALTER TABLE t SET SCHEMA s", "ALTER TABLE t ALTER a SET DEFAULT evil()",
        "ALTER TABLE t ADD CHECK (evil(a))", "ALTER TABLE t ENABLE REPLICA TRIGGER g",
        "ALTER FUNCTION f() OWNER TO x", "ALTER SYSTEM SET a = 1", "ALTER DATABASE d SET a = 1",
        "ALTER FUNCTION f() RENAME TO g", "ALTER SCHEMA s RENAME TO u",
        "ALTER TYPE x ADD VALUE 'b'", "COMMENT ON FUNCTION f() IS 'x'",
        "COMMENT ON DATABASE d IS 'x'", "COMMENT ON ROLE r IS 'x'",
        "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC", "REASSIGN OWNED BY a TO b"));

TEST(PostgresWriteGuard, SaysWhatCannotBeRead) {
  EXPECT_EQ(refusal("UPDAT t SET a = 1"), ErrorCode::InvalidInput);
  EXPECT_EQ(refusal(""), ErrorCode::InvalidInput);
  EXPECT_EQ(refusal("UPDATE t SET a = 1 WHERE (("), ErrorCode::InvalidInput);
  SqlProblem problem;
  const auto found = guard_write("CREATE TABLE t AS SELECT gread_file()", problem);
  ASSERT_FALSE(found);
  EXPECT_EQ(problem.kind, SqlProblem::Kind::UnknownFunction);
}

}  // namespace
}  // namespace helve::sql
