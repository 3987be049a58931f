#include "sources/write_shape.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

WriteShape shape_of(std::string_view sql, SqlDialect dialect = SqlDialect::PostgreSql) {
  auto shape = read_write_shape(sql, dialect);
  EXPECT_TRUE(shape) << sql << ": " << (shape ? "" : shape.error().message);
  return shape ? *std::move(shape) : WriteShape{};
}

ErrorCode code_of(std::string_view sql, SqlDialect dialect = SqlDialect::PostgreSql) {
  const auto shape = read_write_shape(sql, dialect);
  EXPECT_FALSE(shape) << sql;
  return shape ? ErrorCode::Internal : shape.error().code;
}

using Names = std::vector<std::string>;

TEST(WriteShape, ReadsUpdates) {
  const std::string_view sql =
      "UPDATE Sales.\"Big Order\" AS o SET total = total * ?, o.note = (SELECT 'where x, y') "
      "WHERE id = ? AND note IS NOT NULL;";
  const WriteShape shape = shape_of(sql, SqlDialect::Sqlite);
  EXPECT_EQ(shape.kind, WriteKind::Update);
  EXPECT_EQ(shape.table, "Big Order");
  EXPECT_EQ(shape.alias, "o");
  EXPECT_EQ(shape.target.of(sql), "Sales.\"Big Order\" AS o");
  EXPECT_TRUE(shape.is_plain);
  EXPECT_EQ(shape.where.of(sql), "id = ? AND note IS NOT NULL");
  EXPECT_EQ(shape.parameters_before, 1U);
  EXPECT_EQ(shape.columns, (Names{"total", "o", "note"}));
}

TEST(WriteShape, WordsThatAreNamesEndNothing) {
  const std::string_view sql =
      "UPDATE customer AS `returning` SET returning.ssn = 'x', a = where.b WHERE id = 3";
  const WriteShape shape = shape_of(sql, SqlDialect::MySql);
  EXPECT_EQ(shape.columns, (Names{"returning", "ssn", "a"}));
  EXPECT_EQ(shape.where.of(sql), "id = 3");
}

TEST(WriteShape, KnowsWhichRowsAreMeant) {
  EXPECT_TRUE(shape_of("DELETE FROM t").is_plain);
  EXPECT_TRUE(shape_of("DELETE FROM t").where.is_empty());
  EXPECT_TRUE(shape_of("UPDATE t SET a = b IS DISTINCT FROM c WHERE d").is_plain);
  EXPECT_FALSE(shape_of("UPDATE t SET a = u.a FROM u WHERE t.id = u.id").is_plain);
  EXPECT_FALSE(shape_of("DELETE FROM t USING u WHERE t.id = u.id").is_plain);
  EXPECT_FALSE(shape_of("DELETE FROM t ORDER BY a LIMIT 1", SqlDialect::MySql).is_plain);
  EXPECT_FALSE(shape_of("DELETE FROM t WHERE CURRENT OF c").is_plain);
  const std::string_view sql = "DELETE FROM t x WHERE a IN (SELECT b FROM u WHERE c) RETURNING *";
  EXPECT_EQ(shape_of(sql).where.of(sql), "a IN (SELECT b FROM u WHERE c)");
  EXPECT_TRUE(shape_of(sql).has_returning);
}

TEST(WriteShape, ReadsInserts) {
  const WriteShape values =
      shape_of("INSERT INTO public.t (a, \"B\") VALUES (1, (2)), (3, 4) ON CONFLICT DO NOTHING");
  EXPECT_EQ(values.schema, "public");
  EXPECT_EQ(values.columns, (Names{"a", "B"}));
  EXPECT_EQ(values.rows, 2U);
  EXPECT_FALSE(values.is_plain);
  EXPECT_FALSE(shape_of("INSERT INTO t SELECT * FROM u").rows.has_value());
  EXPECT_FALSE(shape_of("INSERT INTO t (SELECT a FROM u)").rows.has_value());
  EXPECT_EQ(shape_of("INSERT INTO t DEFAULT VALUES").rows, 1U);
  EXPECT_EQ(shape_of("INSERT t SET a = 1, b = 2", SqlDialect::MySql).columns, (Names{"a", "b"}));
  const WriteShape upsert =
      shape_of("INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2 RETURNING a");
  EXPECT_EQ(upsert.columns, (Names{"a", "b"}));
  EXPECT_FALSE(upsert.rows.has_value());
  EXPECT_TRUE(upsert.has_returning);
  EXPECT_EQ(
      shape_of("INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 2", SqlDialect::MySql)
          .columns,
      (Names{"a", "b"}));
  EXPECT_EQ(shape_of("INSERT OR REPLACE INTO t VALUES (1)", SqlDialect::Sqlite).kind,
            WriteKind::Replace);
  EXPECT_EQ(shape_of("REPLACE INTO t VALUES (1)", SqlDialect::MySql).kind, WriteKind::Replace);
}

TEST(WriteShape, ReadsThroughWith) {
  EXPECT_EQ(shape_of("WITH x AS (DELETE FROM u RETURNING *) INSERT INTO t SELECT * FROM x").table,
            "t");
  EXPECT_EQ(code_of("WITH x AS (DELETE FROM u RETURNING *) SELECT * FROM x"), ErrorCode::Denied);
}

TEST(WriteShape, KnowsTheQueryThatGivesTheRows) {
  const auto query = [](std::string_view sql, SqlDialect dialect = SqlDialect::PostgreSql) {
    return std::string(shape_of(sql, dialect).query.of(sql));
  };
  EXPECT_EQ(query("INSERT INTO t (a) SELECT b FROM u JOIN v ON u.x = v.x RETURNING a;"),
            "SELECT b FROM u JOIN v ON u.x = v.x");
  EXPECT_EQ(query("INSERT INTO t (SELECT a FROM u)"), "(SELECT a FROM u)");
  EXPECT_EQ(query("INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x"),
            "WITH x AS (SELECT 1) SELECT * FROM x");
  EXPECT_EQ(query("INSERT INTO t (a) OVERRIDING SYSTEM VALUE SELECT 1"), "SELECT 1");
  EXPECT_EQ(query("REPLACE INTO t SELECT 1", SqlDialect::MySql), "SELECT 1");
  EXPECT_EQ(query("CREATE TABLE t AS SELECT 1 AS a WITH DATA"), "SELECT 1 AS a");
  EXPECT_EQ(query("CREATE TABLE t AS SELECT 1", SqlDialect::Sqlite), "SELECT 1");
  EXPECT_EQ(query("CREATE MATERIALIZED VIEW v AS SELECT 1"), "SELECT 1");
  const std::string_view marked = "INSERT INTO t SELECT ? FROM u WHERE x = ?";
  EXPECT_EQ(shape_of(marked, SqlDialect::MySql).parameters_before_query, 0U);
  // Rows may be passed over, there are none, or the query does not stand alone.
  for (const char* sql :
       {"INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1 ON CONFLICT DO NOTHING",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE t AS SELECT 1 WITH NO DATA", "CREATE TABLE t (a int)",
        "INSERT INTO t DEFAULT VALUES"}) {
    EXPECT_EQ(query(sql), "") << sql;
  }
  EXPECT_EQ(query("INSERT OR IGNORE INTO t SELECT 1", SqlDialect::Sqlite), "");
  EXPECT_EQ(query("INSERT INTO t SELECT 1 ON DUPLICATE KEY UPDATE a = 1", SqlDialect::MySql), "");
}

TEST(WriteShape, ReadsDefinitions) {
  EXPECT_EQ(shape_of("CREATE TABLE IF NOT EXISTS a.t (x int)").verb, "CREATE TABLE");
  EXPECT_EQ(shape_of("CREATE TABLE IF NOT EXISTS a.t (x int)").table, "t");
  EXPECT_EQ(shape_of("CREATE UNIQUE INDEX i ON t (x)").table, "t");
  EXPECT_EQ(shape_of("DROP INDEX i").table, "");
  EXPECT_EQ(shape_of("TRUNCATE t").verb, "TRUNCATE");
  EXPECT_EQ(shape_of("TRUNCATE TABLE t").table, "t");
  EXPECT_EQ(shape_of("CREATE OR REPLACE VIEW v AS SELECT 1").verb, "CREATE VIEW");
  EXPECT_EQ(shape_of("COMMENT ON COLUMN t.c IS 'x'").table, "t");
  EXPECT_EQ(shape_of("ALTER TABLE ONLY t ADD c int").kind, WriteKind::Definition);
}

TEST(WriteShape, RefusesAllElse) {
  for (const char* sql :
       {"SELECT 1", "BEGIN", "COMMIT", "SET x = 1", "GRANT ALL ON t TO u", "CALL p()", "DO $$ $$",
        "COPY t FROM STDIN", "VACUUM", "LOCK TABLE t", "EXPLAIN DELETE FROM t", "PRAGMA x = 1"}) {
    EXPECT_EQ(code_of(sql), ErrorCode::Denied) << sql;
  }
  for (const char* sql : {"",
                          ";",
                          "DELETE FROM t; DELETE FROM u",
                          "UPDATE a, b SET x = 1",
                          "UPDATE SET x = 1",
                          "UPDATE a JOIN b ON a.i = b.i SET a.x = 1",
                          "DELETE a FROM a JOIN b",
                          "DELETE FROM a, b",
                          "DELETE FROM a.b.c",
                          "INSERT INTO f(1)",
                          "DROP TABLE a, b",
                          "UPDATE t SET returning = 1",
                          "UPDATE t SET where = 1",
                          "TRUNCATE a, b",
                          "CREATE FUNCTION f() RETURNS int AS ''",
                          "CREATE TRIGGER t BEFORE INSERT ON t",
                          "DELETE",
                          "DROP",
                          "CREATE",
                          "COMMENT",
                          "INSERT INTO",
                          "UPDATE t",
                          "UPDATE t AS",
                          "DELETE FROM t AS"}) {
    EXPECT_EQ(code_of(sql), ErrorCode::InvalidInput) << sql;
  }
  EXPECT_EQ(code_of("DELETE FROM a USING a JOIN b", SqlDialect::MySql), ErrorCode::InvalidInput);
  EXPECT_EQ(code_of("DELETE FROM \"a\"", SqlDialect::MySql), ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace helve
