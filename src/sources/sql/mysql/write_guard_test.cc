#include "sources/sql/mysql/write_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::sql::mysql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

GuardedWrite passed(const std::string& sql) {
  SqlProblem problem;
  auto write = guard_write(sql, {}, problem);
  EXPECT_TRUE(write) << sql << ": " << write.error().to_string();
  return write ? *write : GuardedWrite{};
}

TEST(MysqlWriteGuard, TellsWhatIsChanged) {
  const auto insert = passed("INSERT INTO shop.t (a, b) VALUES (?, DEFAULT), (2, NOW());");
  EXPECT_EQ(insert.shape.kind, WriteKind::Insert);
  EXPECT_EQ(insert.shape.schema, "shop");
  EXPECT_THAT(insert.shape.columns, ElementsAre("a", "b"));
  EXPECT_FALSE(insert.sets_all_columns);
  EXPECT_TRUE(passed("INSERT INTO t VALUES (1, 2)").sets_all_columns);
  EXPECT_TRUE(passed("INSERT INTO `t` SELECT * FROM u").sets_all_columns);
  EXPECT_TRUE(passed("INSERT INTO t (SELECT * FROM u)").sets_all_columns);
  EXPECT_TRUE(passed("INSERT INTO t () VALUES ()").sets_all_columns);
  const auto set = passed("INSERT INTO t SET a = 1, b = UPPER('x')");
  EXPECT_FALSE(set.sets_all_columns);
  EXPECT_THAT(set.shape.columns, ElementsAre("a", "b"));
  const auto upsert =
      passed("INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE b = VALUES(b), c = c + 1");
  EXPECT_TRUE(upsert.updates);
  EXPECT_THAT(upsert.shape.columns, ElementsAre("a", "b", "b", "c"));
  EXPECT_TRUE(passed("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1").sets_all_columns);
  EXPECT_EQ(passed("REPLACE INTO t (a) VALUES (1)").shape.kind, WriteKind::Replace);
  const auto update = passed(
      "UPDATE t AS x SET x.a = REPLACE(b, 'a', 'b') WHERE id IN (SELECT id FROM "
      "u) ORDER BY id LIMIT 3");
  EXPECT_TRUE(update.updates);
  EXPECT_EQ(update.shape.table, "t");
  const auto gone = passed("DELETE FROM t WHERE a = ? RETURNING id, a");
  EXPECT_TRUE(gone.deletes);
  EXPECT_TRUE(gone.shape.has_returning);
  EXPECT_THAT(gone.shape.columns, IsEmpty());
}

TEST(MysqlWriteGuard, Definitions) {
  const auto made = passed(
      "CREATE TABLE IF NOT EXISTS t (id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name "
      "VARCHAR(20) CHARACTER SET utf8mb4 DEFAULT 'x' COMMENT 'c', kind ENUM('a', 'b'), many "
      "SET('x'), "
      "at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), price "
      "DECIMAL(10,2) CHECK (price >= 0), twice INT AS (price * 2) STORED, owner INT, KEY by_name "
      "(name(5), kind), UNIQUE u (owner), CONSTRAINT f FOREIGN KEY (owner) REFERENCES "
      "shop.customer "
      "(id) ON DELETE CASCADE ON UPDATE SET NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 "
      "COMMENT='y'");
  EXPECT_EQ(made.shape.verb, "CREATE TABLE");
  EXPECT_THAT(made.references, ElementsAre("shop.customer"));
  EXPECT_EQ(passed("CREATE UNIQUE INDEX i ON t (a DESC, b(10))").shape.table, "t");
  EXPECT_EQ(passed("DROP INDEX i ON t").shape.table, "t");
  EXPECT_EQ(
      passed("ALTER TABLE t ADD COLUMN a INT DEFAULT 1 AFTER b, DROP COLUMN c, MODIFY d "
             "VARCHAR(9), CHANGE e f INT, ADD INDEX i (a), ADD CONSTRAINT k CHECK (a > 1), ALTER "
             "COLUMN g SET DEFAULT 3, DROP PRIMARY KEY, RENAME COLUMN h TO k")
          .shape.table,
      "t");
  EXPECT_EQ(passed("DROP TABLE IF EXISTS shop.t").shape.schema, "shop");
  EXPECT_EQ(passed("TRUNCATE TABLE t").shape.table, "t");
  EXPECT_THAT(passed("RENAME TABLE t TO s.u").references, ElementsAre("s.u"));
  EXPECT_EQ(
      passed("CREATE OR REPLACE VIEW v (a, b) AS SELECT a, COUNT(*) FROM t GROUP BY a").shape.verb,
      "CREATE VIEW");
  EXPECT_EQ(passed("DROP VIEW v").shape.verb, "DROP VIEW");
}

class RefusedMysqlWrite : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedMysqlWrite, IsRefused) {
  SqlProblem problem;
  const auto write = guard_write(GetParam(), {}, problem);
  ASSERT_FALSE(write) << GetParam();
  EXPECT_TRUE(write.error().code == ErrorCode::Denied ||
              write.error().code == ErrorCode::InvalidInput)
      << write.error().to_string();
}

INSTANTIATE_TEST_SUITE_P(
    Data, RefusedMysqlWrite,
    ::testing::Values(
        "SELECT 1", "SHOW TABLES", "EXPLAIN UPDATE t SET a = 1", "ANALYZE DELETE FROM t",
        "DELETE FROM t; DROP TABLE u", "INSERT INTO t VALUES (1); SELECT 1",
        "UPDATE t, u SET t.a = 1, u.b = 2", "UPDATE t JOIN u ON t.id = u.id SET u.a = 1",
        "UPDATE t NATURAL JOIN u SET a = 1", "UPDATE (SELECT 1) t SET a = 1",
        "DELETE t FROM t JOIN u ON t.id = u.id", "DELETE t, u FROM t JOIN u",
        "DELETE FROM t USING t "
        "JOIN u",
        "DELETE FROM t, u USING t JOIN u", "DELETE FROM t PARTITION (p0)",
        "INSERT IGNORE INTO t VALUES (1)", "UPDATE IGNORE t SET a = 1", "DELETE IGNORE FROM t",
        "DELETE QUICK FROM t", "INSERT DELAYED INTO t VALUES (1)",
        "REPLACE LOW_PRIORITY INTO t VALUES "
        "(1)",
        "INSERT t VALUES (1)", "WITH x AS (SELECT 1) UPDATE t SET a = 1",
        "INSERT INTO t SELECT * FROM mysql.user", "INSERT INTO t SELECT * FROM `mysql`.`user`",
        "INSERT INTO mysql.user VALUES (1)", "UPDATE mysql.user SET a = 1", "DELETE FROM mysql.db",
        "INSERT INTO t SELECT 1 INTO OUTFILE '/tmp/x'",
        "INSERT INTO t SELECT 1 INTO DUMPFILE '/tmp/x'", "INSERT INTO t SELECT 1 INTO @x",
        "INSERT INTO t SELECT * FROM u FOR UPDATE",
        "INSERT INTO t SELECT * FROM u LOCK IN SHARE MODE", "UPDATE t SET a = @x := 1",
        "UPDATE t SET a = LOAD_FILE('/etc/passwd')", "UPDATE t SET a = SLEEP_X(1)",
        "UPDATE t SET a = GET_LOCK('x', 1)", "UPDATE t SET a = shop.f()", "UPDATE t SET a = f()",
        "UPDATE t SET a = `count`(1)", "UPDATE t SET a = NEXT VALUE FOR s",
        "UPDATE t SET a = NEXTVAL(s)", "INSERT INTO t VALUES (SETVAL(s, 1))",
        "UPDATE t SET a = @@datadir", "UPDATE t SET a = LAST_INSERT_ID(5)",
        "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = "
        "BENCHMARK(1, f())",
        "UPDATE t /*!50000 , u */ SET a = 1", "DELETE FROM t /*M! , u */",
        "UPDATE t SET a = 1 /*+ SET_VAR(sql_mode='') */", "UPDATE t SET a = COUNT/**/(1)",
        "DELETE FROM t WHERE a IN (SELECT f(1))", "INSERT INTO t (a) VALUES (1) RETURNING f()",
        "DELETE FROM t PROCEDURE ANALYSE()", "UPDATE t SET a = master_pos_wait('x', 1)",
        "DELETE HISTORY FROM t", "DELETE FROM t FOR PORTION OF p FROM 1 TO 2",
        "INSERT INTO t SELECT * FROM information_schema.global_variables"));

INSTANTIATE_TEST_SUITE_P(
    Commands, RefusedMysqlWrite,
    ::testing::Values(
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE t", "LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
        "LOAD XML INFILE 'x' INTO TABLE t", "CALL p()", "DO f()", "HANDLER t OPEN",
        "LOCK TABLES t WRITE", "UNLOCK TABLES", "SET autocommit = 1", "SET GLOBAL x = 1",
        "SET PASSWORD = ''", "SET ROLE x", "GRANT ALL ON *.* TO x", "REVOKE ALL ON *.* FROM x",
        "FLUSH TABLES", "KILL 1", "SHUTDOWN", "USE d", "BEGIN", "START TRANSACTION", "COMMIT",
        "ROLLBACK", "SAVEPOINT s", "XA START 'x'", "PREPARE s FROM 'DELETE FROM t'", "EXECUTE s",
        "EXECUTE IMMEDIATE 'DELETE FROM t'", "INSTALL PLUGIN p SONAME 'x'", "BINLOG 'x'",
        "CHANGE MASTER TO x = 1", "PURGE BINARY LOGS", "RESET MASTER", "OPTIMIZE TABLE t",
        "REPAIR TABLE t", "ANALYZE TABLE t", "CHECK TABLE t", "BEGIN NOT ATOMIC DELETE FROM t; END",
        "IF 1 THEN DELETE FROM t; END IF", "SIGNAL SQLSTATE '45000'", "HELP 'x'",
        "BACKUP STAGE START", "CACHE INDEX t IN x"));

INSTANTIATE_TEST_SUITE_P(
    Definitions, RefusedMysqlWrite,
    ::testing::Values(
        "CREATE FUNCTION f() RETURNS INT RETURN 1", "CREATE PROCEDURE p() SELECT 1",
        "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
        "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t", "CREATE USER x", "DROP USER x",
        "ALTER USER x IDENTIFIED BY 'y'", "CREATE ROLE r", "CREATE DATABASE d", "DROP DATABASE d",
        "CREATE SCHEMA s", "DROP SCHEMA s", "ALTER DATABASE d CHARACTER SET x", "CREATE SEQUENCE s",
        "DROP SEQUENCE s", "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'x')",
        "CREATE TEMPORARY TABLE t (a INT)", "CREATE OR REPLACE TABLE t (a INT)",
        "CREATE TABLE t LIKE u", "CREATE TABLE t (LIKE u)", "CREATE TABLE t SELECT * FROM u",
        "CREATE TABLE t (a INT) SELECT 1", "CREATE TABLE t AS SELECT * FROM u",
        "CREATE TABLE t (a INT) ENGINE=FEDERATED", "CREATE TABLE t (a INT) ENGINE=MyISAM",
        "CREATE TABLE t (a INT) ENGINE=CSV",
        "CREATE TABLE t (a INT) ENGINE=InnoDB CONNECTION='mysql://x'",
        "CREATE TABLE t (a INT) DATA DIRECTORY='/x'",
        "CREATE TABLE t (a INT) ENGINE=MERGE UNION=(u)", "CREATE TABLE t (a INT) TABLESPACE x",
        "CREATE TABLE t (a INT) PARTITION BY HASH (a)", "CREATE TABLE t (a INT DEFAULT (f()))",
        "CREATE TABLE t (a INT CHECK (f(a)))", "CREATE TABLE t (a INT AS (shop.f(b)))",
        "CREATE TABLE t (a INT) WITH SYSTEM VERSIONING",
        "CREATE TABLE t (a INT DEFAULT (SELECT 1))", "CREATE INDEX i ON t ((f(a)))",
        "CREATE DEFINER=root@localhost VIEW v AS SELECT 1",
        "CREATE SQL SECURITY DEFINER VIEW v AS SELECT 1",
        "CREATE ALGORITHM=MERGE VIEW v AS SELECT 1", "CREATE VIEW v AS SELECT f()",
        "CREATE VIEW v AS "
        "SELECT * FROM mysql.user",
        "CREATE VIEW v AS SELECT 1 INTO OUTFILE '/x'", "ALTER VIEW v AS SELECT 1",
        "DROP TABLE t, u", "DROP TEMPORARY TABLE t", "DROP TRIGGER g", "DROP FUNCTION f",
        "DROP VIEW v, w", "ALTER TABLE t ENGINE=MyISAM", "ALTER TABLE t RENAME TO u",
        "ALTER TABLE t DISCARD TABLESPACE", "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u",
        "ALTER TABLE t ADD a INT, ENGINE=CSV", "ALTER TABLE t CONVERT TO CHARACTER SET latin1",
        "ALTER TABLE t DISABLE KEYS", "ALTER IGNORE TABLE t ADD a INT",
        "ALTER TABLE t ADD a INT DEFAULT "
        "(f())",
        "ALTER TABLE t ADD PARTITION (PARTITION p VALUES IN (1))",
        "ALTER TABLE mysql.user ADD a "
        "INT",
        "RENAME TABLE a TO b, c TO d", "RENAME USER a TO b", "TRUNCATE t, u",
        "CREATE PACKAGE p AS END", "ALTER TABLE t ORDER BY a"));

}  // namespace
}  // namespace helve::sql::mysql
