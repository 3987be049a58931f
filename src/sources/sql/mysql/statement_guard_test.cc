#include "sources/sql/mysql/statement_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json.h"
#include "sources/sql/mysql/function_list.h"
#include "tests/support/test_data.h"

namespace helve::sql::mysql {
namespace {

using ::testing::HasSubstr;

Result<GuardedStatement> check_statement(std::string_view sql,
                                         StoredFunctions stored_functions = {}) {
  SqlProblem problem;
  return mysql::check_statement(sql, stored_functions, problem);
}

TEST(StatementGuard, LetsReadingPass) {
  constexpr std::string_view kStatements[] = {
      "SELECT 1",
      "select 1;",
      "SELECT 1 ; -- done",
      "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT 1",
      "((SELECT 1))",
      "VALUES (1, 2), (3, 4)",
      "VALUES ROW(1, 2)",
      "TABLE t",
      "WITH c AS (SELECT 1 AS n) SELECT n FROM c",
      "WITH c (n) AS (SELECT 1), d (m, k) AS (SELECT 2, 3) SELECT * FROM c, d",
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c",
      "WITH c AS (SELECT 1) (SELECT * FROM c)",
      "SELECT * FROM (SELECT 1, 2) AS d (a, b)",
      "SELECT * FROM (SELECT 1, 2) d (a, b)",
      "SELECT COUNT (*), MAX(a), SUM (b) FROM t GROUP BY (c) HAVING (COUNT(*) > 1)",
      "SELECT REPLACE(a, 'x', 'y'), INSERT('abc', 1, 1, 'z'), TRUNCATE(1.5, 0), IF(a, 1, 2) FROM t",
      "SELECT LEFT(a, 1), RIGHT(a, 1), MOD(a, 2), CHAR(65), DATE(d), REPEAT('a', 2) FROM t",
      "SELECT CAST(a AS DECIMAL(10,2)), CAST(a AS CHAR(5) CHARACTER SET utf8mb4) FROM t",
      "SELECT CONVERT(a, DATETIME(6)), CONVERT(a USING utf8mb4) FROM t",
      "SELECT a FROM t WHERE a IN (1, 2) AND NOT (b = 1) OR EXISTS (SELECT 1) XOR (c)",
      "SELECT a FROM t WHERE a > ALL (SELECT 1) AND a BETWEEN (1) AND (2) AND b LIKE ('x')",
      "SELECT a FROM t USE INDEX (i) JOIN (u, v) ON (t.a = u.a) LEFT JOIN w USING (a)",
      "SELECT a FROM t FORCE INDEX FOR ORDER BY (i) ORDER BY (a)",
      "SELECT a FROM t PARTITION (p0, p1)",
      "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b), SUM(a) OVER w FROM t WINDOW w AS "
      "(ORDER "
      "BY a)",
      "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ', ') FROM t",
      "SELECT CASE WHEN (a) THEN (1) ELSE (2) END FROM t",
      "SELECT a FROM t WHERE MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)",
      "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$', b VARCHAR(10) PATH '$.b')) "
      "j",
      "SELECT a FROM t, LATERAL (SELECT 1) x",
      "SELECT d + INTERVAL (1) DAY, DATE_ADD(d, INTERVAL 1 MONTH) FROM t",
      "SELECT TRIM(LEADING ('x') FROM a), SUBSTRING(a FROM (1) FOR (2)) FROM t",
      "SELECT EXTRACT(YEAR FROM d), TIMESTAMPDIFF(DAY, a, b) FROM t",
      "SELECT `id` AS `delete`, t.update, t.`into` FROM t",
      "SELECT 'DROP TABLE t; INTO OUTFILE', \"it's\", 'a\\'; DELETE FROM t'",
      "SELECT 1 -- DELETE FROM t\n, 2 # ; DROP TABLE t",
      "SELECT 1 /* INTO OUTFILE */",
      "SELECT /*+ NO_INDEX_MERGE(t) */ a FROM t",
      "SELECT MD5('a'), UUID(), LAST_INSERT_ID()",
      "SELECT @@version, @a, USER(), DATABASE(), CURRENT_USER",
      "SELECT 5--1, 0x44, x'00', b'01', 1e3, .5, 1.",
      "SELECT a FROM t WHERE a = ? AND b IN (?, ?)",
      "SELECT * FROM information_schema.processlist",
      "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2020-01-01 00:00:00'",
      "SELECT next, value FROM t",
      "SELECT \\N, a IS NOT NULL AND b<>\\NAND c, dumpfile FROM t",
      "SHOW TABLES",
      "SHOW FULL TABLES FROM shop LIKE 'a%'",
      "SHOW COLUMNS FROM t",
      "SHOW FULL COLUMNS FROM t WHERE LEFT(Field, 1) = 'a'",
      "SHOW INDEX FROM t",
      "SHOW CREATE TABLE t",
      "SHOW CREATE VIEW v",
      "SHOW DATABASES",
      "SHOW TABLE STATUS",
      "SHOW GLOBAL VARIABLES LIKE 'max%'",
      "SHOW CHARACTER SET",
      "DESCRIBE t",
      "DESC shop.t a",
      "DESCRIBE `t`",
      "EXPLAIN t",
      "EXPLAIN SELECT 1",
      "EXPLAIN EXTENDED SELECT 1",
      "EXPLAIN FORMAT=JSON SELECT 1",
      "DESC WITH c AS (SELECT 1) SELECT * FROM c",
  };
  for (const std::string_view sql : kStatements) {
    const auto statement = check_statement(sql);
    EXPECT_TRUE(statement.has_value()) << sql << "\n" << statement.error().to_string();
  }
}

TEST(StatementGuard, RefusesAllElse) {
  constexpr std::string_view kStatements[] = {
      "SELECT 1; SELECT 2",
      "SELECT 1;;",
      "DELETE FROM t",
      "INSERT t VALUES (1)",
      "REPLACE INTO t VALUES (1)",
      "TRUNCATE t",
      "TRUNCATE (t)",
      "DROP TABLE t",
      "CALL p()",
      "DO SLEEP(1)",
      "DO RELEASE_LOCK('a')",
      "SET @a = 1",
      "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
      "BEGIN NOT ATOMIC DELETE FROM t; END",
      "BEGIN",
      "COMMIT",
      "START TRANSACTION READ WRITE",
      "USE mysql",
      "HANDLER t OPEN",
      "LOCK TABLES t WRITE",
      "FLUSH TABLES WITH READ LOCK",
      "KILL 1",
      "PREPARE s FROM 'DELETE FROM t'",
      "EXECUTE IMMEDIATE 'DELETE FROM t'",
      "ANALYZE TABLE t",
      "ANALYZE SELECT 1",
      "ANALYZE FORMAT=JSON SELECT 1",
      "CHECK TABLE t",
      "CHECKSUM TABLE t",
      "OPTIMIZE TABLE t",
      "WITH c AS (SELECT 1) DELETE FROM t",
      "WITH c AS (SELECT 1) UPDATE t SET a = 1",
      "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
      "WITH c (n) AS (SELECT 1), d AS (SELECT 2) REPLACE t SELECT 1",
      "WITH c AS (SELECT 1)",
      "SELECT 1 INTO @a",
      "SELECT 1 INTO OUTFILE '/tmp/x'",
      "SELECT 1 INTO/**/DUMPFILE '/tmp/x'",
      "SELECT a. INTO OUTFILE '/tmp/x' FROM t",
      "TABLE t INTO OUTFILE '/tmp/x'",
      "(SELECT 1) INTO @a",
      "SELECT * FROM t FOR UPDATE",
      "SELECT * FROM t FOR SHARE",
      "SELECT * FROM t LOCK IN SHARE MODE",
      "SELECT * FROM t PROCEDURE ANALYSE()",
      "SELECT \\NINTO DUMPFILE '/tmp/x'",
      "SELECT \\NINTO @zz",
      "EXPLAIN SELECT \\NINTO DUMPFILE '/x'",
      "SELECT 1 FROM t WHERE id>1990 OR name<>\\NLOCK IN SHARE MODE",
      "SELECT 1 DUMPFILE '/x'",
      "SELECT \\N(1)",
      "SELECT \\n",
      "SELECT 1 \\",
      "SELECT @a := 1",
      "SELECT @a:=@a+1 FROM t",
      "SELECT NEXT VALUE FOR s",
      "SELECT PREVIOUS VALUE FOR s",
      "SELECT NEXTVAL(s)",
      "SELECT LASTVAL(s)",
      "SELECT SETVAL(s, 1)",
      "SELECT LOAD_FILE('/etc/passwd')",
      "SELECT load_file ('/etc/passwd')",
      "SELECT `load_file`('/etc/passwd')",
      "SELECT {fn LOAD_FILE('/etc/passwd')}",
      "SELECT GET_LOCK('a', 1)",
      "SELECT RELEASE_ALL_LOCKS()",
      "SELECT IS_FREE_LOCK('a')",
      "SELECT MASTER_POS_WAIT('a', 1)",
      "SELECT MASTER_GTID_WAIT('a')",
      "SELECT WAIT_FOR_EXECUTED_GTID_SET('a')",
      "SELECT sys_exec('id')",
      "SELECT LAST_INSERT_ID(5)",
      "SELECT shop.f(1)",
      "SELECT shop . f (1)",
      "SELECT `shop`.`f`(1)",
      "SELECT `count`(1)",
      "SELECT COUNT/**/(1)",
      "SELECT sys.version_major()",
      "SELECT f(a) FROM t",
      "SELECT 1, f(a) AS x FROM t",
      "SELECT (1), f(a)",
      "SELECT LATERAL(1)",
      "SELECT 1_000(1)",
      "SELECT 1.e(1)",
      "SELECT 1.e ascii(1)",
      "SELECT 'f'(1)",
      "SELECT @f(1)",
      "SELECT /*+ SET_VAR(sql_mode='ANSI_QUOTES') */ 1",
      "SELECT /*+ RESOURCE_GROUP(a) */ 1",
      "SELECT * FROM mysql.user",
      "SELECT * FROM `MySQL` . user",
      "SHOW GRANTS",
      "SHOW CREATE USER root",
      "SHOW CREATE PROCEDURE p",
      "SHOW BINARY LOGS",
      "SHOW TABLES WHERE f(1)",
      "SHOW",
      "EXPLAIN DELETE FROM t",
      "EXPLAIN ANALYZE SELECT 1",
      "EXPLAIN FORMAT=TREE ANALYZE SELECT 1",
      "EXPLAIN FOR CONNECTION 5",
      "EXPLAIN FORMAT=JSON INTO @a SELECT 1",
      "EXPLAIN SELECT f(1)",
      "DESCRIBE t; DROP TABLE t",
      "DESCRIBE f(1)",
      "/*!50000 DELETE FROM t */",
      "SELECT 1 /*!INTO OUTFILE 'x'*/",
      "SELECT 1 /*M!100000 INTO OUTFILE 'x'*/",
      "SELCT 1",
      "",
      ";",
      "(",
      "()",
      "SELECT 'a",
      "SELECT * FROM t WHERE a IN @results_0.a",
  };
  for (const std::string_view sql : kStatements) {
    EXPECT_FALSE(check_statement(sql).has_value()) << sql;
  }
}

TEST(StatementGuard, VariablesThatTellOfTheServerAreNotSeen) {
  for (const std::string_view sql : {"SELECT @@datadir",
                                     "SELECT @@global.datadir",
                                     "SELECT @@GLOBAL.`datadir`",
                                     "SELECT @@global . datadir",
                                     "SELECT @@ datadir",
                                     "SELECT @@`datadir`",
                                     "SELECT 1 FROM t WHERE @@secure_file_priv LIKE '/%'",
                                     "SELECT @@session.tmpdir",
                                     "SELECT @@wsrep_sst_auth",
                                     "SELECT @@init_connect",
                                     "SELECT @@global.",
                                     "SELECT @@`",
                                     "SELECT @@default.key_buffer_size",
                                     "SELECT * FROM information_schema.GLOBAL_VARIABLES",
                                     "SELECT * FROM `information_schema`.`session_variables`",
                                     "SELECT * FROM information_schema . SYSTEM_VARIABLES",
                                     "TABLE global_variables",
                                     "SELECT 1 FROM t, session_variables",
                                     "SELECT * FROM performance_schema.global_variables",
                                     "SELECT * FROM performance_schema.variables_by_thread"}) {
    EXPECT_FALSE(check_statement(sql).has_value()) << sql;
  }
  for (const std::string_view sql :
       {"SELECT @@version, @@global.sql_mode, @@SESSION.time_zone, @@`version`, @@local.autocommit",
        "SELECT @a, @global", "SELECT system_variables FROM t", "SHOW STATUS LIKE 'Uptime'",
        "SELECT a FROM shop.global_variables"}) {
    EXPECT_TRUE(check_statement(sql).has_value()) << sql;
  }
  EXPECT_TRUE(check_statement("SHOW GLOBAL VARIABLES LIKE '%dir'")->is_of_variables);
  EXPECT_FALSE(check_statement("SHOW STATUS")->is_of_variables);
}

TEST(StatementGuard, SaysWhereAndWhatToDo) {
  const auto unknown = check_statement("SELECT a,\n  cuont(b) FROM t");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::Denied);
  EXPECT_EQ(unknown.error().document, "sql");
  EXPECT_EQ(unknown.error().position, (TextPosition{2, 3}));
  EXPECT_THAT(unknown.error().hint, HasSubstr("COUNT"));
  SqlProblem problem;
  EXPECT_FALSE(mysql::check_statement("SELECT lenght(1)", {}, problem).has_value());
  EXPECT_EQ(problem.kind, SqlProblem::Kind::UnknownFunction);
  EXPECT_EQ(problem.name, "lenght");
  const auto typed = check_statement("SELCT 1");
  ASSERT_FALSE(typed.has_value());
  EXPECT_EQ(typed.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(typed.error().hint, HasSubstr("SELECT"));
  const auto second = check_statement("SELECT 1; DROP TABLE t");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().position, (TextPosition{1, 9}));
}

TEST(StatementGuard, TellsKindsApartAndTakesTheEndOff) {
  EXPECT_EQ(check_statement("SELECT 1;")->sql, "SELECT 1");
  EXPECT_EQ(check_statement("SELECT 1")->kind, StatementKind::Query);
  EXPECT_EQ(check_statement("DESCRIBE t")->kind, StatementKind::Show);
  EXPECT_EQ(check_statement("EXPLAIN SELECT 1")->kind, StatementKind::Explain);
}

TEST(StatementGuard, IsLinearInHostileText) {
  std::string lists = "SELECT ";
  for (int i = 0; i < 50'000; ++i) lists += "a,IN(a,a),";
  EXPECT_TRUE(check_statement(lists).has_value());
  std::string nested = "SELECT ";
  for (int i = 0; i < 500; ++i) nested += "ABS(";
  EXPECT_TRUE(check_statement(nested).has_value());
  nested += "(";
  EXPECT_EQ(check_statement(nested).error().code, ErrorCode::LimitExceeded);
}

TEST(StatementGuard, RefusesNamesOfStoredFunctions) {
  const StoredNames taken{taken_names({"regexp_like", "Any_Value", "my_own", "text"}), {}};
  const auto statement = check_statement("SELECT ABS(1),\n any_value (a), CAST(a AS CHAR) FROM t");
  ASSERT_TRUE(statement.has_value());
  EXPECT_TRUE(check_calls(*statement, {}).has_value());
  EXPECT_TRUE(check_calls(*statement, {taken_names({"my_own", "any_values"}), {}}).has_value());
  const auto done = check_calls(*statement, taken);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::Denied);
  EXPECT_EQ(done.error().document, "sql");
  EXPECT_EQ(done.error().position, (TextPosition{2, 2}));
  for (const std::string_view sql :
       {"EXPLAIN SELECT Regexp_Like(1)", "SHOW TABLES WHERE REGEXP_LIKE(1)", "SELECT text(1)",
        "WITH c AS (SELECT REGEXP_LIKE(1)) SELECT * FROM c"}) {
    EXPECT_FALSE(check_calls(*check_statement(sql), taken).has_value()) << sql;
  }
}

TEST(StatementGuard, LetsStoredFunctionsPassThatARuleAllowsAndTheServerHas) {
  const std::vector<std::string> allowed = {"score", "Sales.rate", "sleep"};
  const StoredNames stored{{}, {"SALES.RATE", "SCORE", "SHOP.SCORE"}};
  for (const std::string_view sql :
       {"SELECT score(1)", "SELECT `Score`(1), SALES.`rate`(2)", "SELECT score (a) FROM t"}) {
    EXPECT_FALSE(check_statement(sql).has_value()) << sql;
    const auto passed = check_statement(sql, allowed);
    ASSERT_TRUE(passed.has_value()) << sql << passed.error().to_string();
    EXPECT_TRUE(check_calls(*passed, stored).has_value()) << sql;
    EXPECT_FALSE(check_calls(*passed, {}).has_value()) << sql;
  }
  for (const std::string_view sql :
       {"SELECT rate(1)", "SELECT shop.score(1)", "SELECT x.sales.rate(1)"}) {
    EXPECT_FALSE(check_statement(sql, allowed).has_value()) << sql;
  }
  // No stored function of the server: its own would be called.
  EXPECT_FALSE(check_calls(*check_statement("SELECT sleep(1)", allowed), stored).has_value());
}

TEST(StatementGuard, StaysInTheDatabasesOfTheSource) {
  const std::vector<std::string> others = {"sakila", "b\u00e4r"};
  for (const std::string_view sql :
       {"SELECT * FROM sakila.payment", "SELECT `SAKILA` . payment.id FROM t",
        "SELECT 1 FROM t WHERE a IN (SELECT a FROM Sakila.x)", "SHOW TABLES FROM sakila",
        "SHOW TABLES IN `sakila`", "DESCRIBE sakila.payment", "SELECT * FROM `B\u00c4R`.t",
        "EXPLAIN SELECT * FROM sakila.x", "SELECT * FROM sakila.2024",
        "SELECT * FROM `sakila`.1e5"}) {
    const auto statement = check_statement(sql);
    ASSERT_TRUE(statement.has_value()) << sql;
    const auto done = check_databases(*statement, others);
    ASSERT_FALSE(done.has_value()) << sql;
    EXPECT_EQ(done.error().code, ErrorCode::Denied);
    EXPECT_THAT(done.error().hint, HasSubstr("?databases="));
  }
  for (const std::string_view sql :
       {"SELECT * FROM shop.t", "SELECT sakila FROM t", "SELECT 'sakila.x' FROM t",
        "SELECT t.sakila FROM t", "SHOW TABLES", "SELECT * FROM information_schema.tables"}) {
    EXPECT_TRUE(check_databases(*check_statement(sql), others).has_value()) << sql;
  }
}

TEST(FunctionList, KnowsWhichNamesAreTaken) {
  using ::testing::ElementsAre;
  EXPECT_THAT(taken_names({"uuid_to_bin", "in", "own", "UUID_TO_BIN"}),
              ElementsAre("IN", "UUID_TO_BIN"));
  // Servers take é for e.
  EXPECT_THAT(taken_names({"any_valu\u00e9", "n\u00f6"}), ElementsAre("ANY_VALUE"));
  EXPECT_THAT(taken_names({}), ::testing::IsEmpty());
}

TEST(FunctionList, IsSorted) {
  EXPECT_TRUE(is_allowed_function("count"));
  EXPECT_TRUE(is_allowed_function("YEARWEEK"));
  EXPECT_FALSE(is_allowed_function("LOAD_FILE"));
  EXPECT_FALSE(is_allowed_function("IN"));
  EXPECT_TRUE(is_syntax_before_parenthesis("in"));
  EXPECT_GT(allowed_functions().size(), 350U);
}

std::string text_of(const JsonValue& entry, std::string_view name) {
  const JsonValue* const member = entry.find(name);
  return member != nullptr && member->if_string() != nullptr ? *member->if_string() : "";
}

// The guard answers for all but what only time or the rights of a user can stop.
TEST(StatementGuard, HoldsAgainstTheCorpus) {
  HELVE_SHARED_PATH(path, "data/attacks/sql_attacks.json");
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto entries = parse_json(text);
  ASSERT_TRUE(entries.has_value() && entries->if_array() != nullptr);
  std::size_t count = 0;
  for (const JsonValue& entry : *entries->if_array()) {
    const std::string engine = text_of(entry, "engine");
    if (engine != "mysql" && engine != "any") continue;
    ++count;
    if (text_of(entry, "layer") == "timeout") continue;  // refused here, or ended by the deadline
    const bool is_passed = text_of(entry, "expect") == "allow";
    EXPECT_EQ(check_statement(text_of(entry, "sql")).has_value(), is_passed)
        << text_of(entry, "id");
  }
  EXPECT_GT(count, 40U);
}

}  // namespace
}  // namespace helve::sql::mysql
