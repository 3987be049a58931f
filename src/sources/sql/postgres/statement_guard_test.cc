#include "sources/sql/postgres/statement_guard.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "sources/sql/postgres/allowed_functions.h"
#include "sources/sql_tokens.h"
#include "tests/support/test_data.h"

namespace helve::sql {
namespace {

Result<GuardedStatement> guard(std::string_view sql) {
  SqlProblem problem;
  return guard_statement(sql, problem);
}

bool has_unlisted(const GuardedStatement& statement) {
  if (statement.names == nullptr) return false;
  return std::any_of(statement.names->begin(), statement.names->end(), [](const UsedName& used) {
    return used.kind == UsedName::Kind::UnlistedFunction;
  });
}

void expect_code(std::string_view sql, ErrorCode code) {
  const auto result = guard(sql);
  ASSERT_FALSE(result.has_value()) << sql;
  EXPECT_EQ(result.error().code, code) << sql << "\n" << result.error().to_string();
  EXPECT_FALSE(result.error().hint.empty()) << sql;
}

TEST(PostgresGuard, PassesWhatReads) {
  for (const std::string_view sql :
       {"SELECT 1",
        "select 1;",
        " ;; select 1 ; -- end",
        "VALUES (1, 'a'), (2, 'b')",
        "TABLE data.edge",
        "(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 LIMIT 1",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9) "
        "SEARCH DEPTH FIRST BY n SET o SELECT * FROM c",
        "SELECT count(*) FILTER (WHERE a > 0), sum(b) OVER w FROM t WINDOW w AS (PARTITION BY a "
        "ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM t",
        "SELECT * FROM t, LATERAL (SELECT upper(t.a)) x, generate_series(1, 3) WITH ORDINALITY g",
        "SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY[1, 2])) r",
        "SELECT a, grouping(a) FROM t GROUP BY GROUPING SETS ((a), ()) HAVING count(*) > 1",
        "SELECT CASE WHEN a THEN 1 ELSE 2 END, coalesce(a, b), greatest(1, 2), nullif(a, b), "
        "a IS NULL, a IS TRUE, a BETWEEN 1 AND 2, a IN (1, 2), a = ANY (ARRAY[1]), ROW(1, 2)",
        "SELECT extract(year FROM now()), current_date, current_user, a AT TIME ZONE 'utc', "
        "position('a' IN b), substring(a FROM 1 FOR 2), overlay(a PLACING b FROM 1), trim(a), "
        "a SIMILAR TO 'x', a LIKE 'y' ESCAPE 'z', normalize(a), collation for (a) FROM t",
        "SELECT 'pg_class'::regclass, CAST(a AS numeric(10,2)), a::data.mood, interval '1 day'",
        "SELECT xmlelement(name a, b), xmlparse(document '<a/>'), xmlserialize(content x AS text)",
        "SELECT * FROM xmltable('/a' PASSING x COLUMNS y int PATH 'z') t",
        "SELECT * FROM json_to_recordset('[]') AS x(a int, b text)",
        "SELECT pg_catalog.lower('A'), \"lower\"('A'), U&\"\\006Cower\"('A')",
        "SELECT current_setting('TimeZone'), current_setting('server_version', true)",
        "SELECT ts_rewrite('a'::tsquery, 'a'::tsquery, 'b'::tsquery)",
        "SELECT * FROM t TABLESAMPLE SYSTEM (10) REPEATABLE (1)",
        "SELECT 1 OPERATOR(pg_catalog.+) 1",
        "SELECT $1::int, $2 || 'a'",
        "SELECT 'DROP TABLE t; COMMIT'",
        "SELECT $$;DROP TABLE t;$$",
        "SELECT E'\\'; COMMIT; --'",
        "SELECT id AS \"update\" FROM data.t",
        "SELECT count(*) FROM pg_catalog.pg_class",
        "SELECT * FROM mine.pg_shadow",
        "SELECT make_interval(days => 3)",
        "SELECT random(), gen_random_uuid(), clock_timestamp()",
        "SELECT a[1], a[1:2], (b).c, (t).*, t.* FROM t",
        "SELECT",
        "SHOW server_version",
        "EXPLAIN SELECT 1",
        "EXPLAIN (VERBOSE, FORMAT JSON, ANALYZE off) SELECT 1"}) {
    const auto result = guard(sql);
    EXPECT_TRUE(result.has_value()) << sql << "\n" << result.error().to_string();
  }
}

TEST(PostgresGuard, RefusesWhatDoesNotReadAtAnyDepth) {
  for (const std::string_view sql :
       {"INSERT INTO t VALUES (1)",
        "UPDATE t SET a = 1",
        "DELETE FROM t",
        "TRUNCATE t",
        "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
        "COPY t TO '/tmp/a'",
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "CREATE TABLE x AS SELECT 1",
        "DROP TABLE t",
        "BEGIN",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT a",
        "PREPARE x AS SELECT 1",
        "EXECUTE x",
        "DECLARE c CURSOR FOR SELECT 1",
        "FETCH c",
        "CALL p()",
        "DO $$BEGIN END$$",
        "SET a.b = 1",
        "RESET ALL",
        "DISCARD ALL",
        "LISTEN c",
        "NOTIFY c",
        "LOAD 'x'",
        "LOCK TABLE t",
        "VACUUM",
        "ANALYZE",
        "CHECKPOINT",
        "SHOW ALL",
        "SHOW data_directory",
        "GRANT SELECT ON t TO x",
        "ALTER SYSTEM SET work_mem = '1GB'",
        "SELECT 1; SELECT 2",
        "SELECT 1; COMMIT",
        "SELECT * INTO x FROM t",
        "SELECT 1 AS a INTO TEMP z",
        "SELECT * FROM t FOR UPDATE",
        "SELECT * FROM t FOR KEY SHARE SKIP LOCKED",
        "SELECT * FROM (SELECT * FROM t FOR SHARE) x",
        "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d",
        "SELECT * FROM (WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d) x",
        "WITH a AS (WITH b AS (UPDATE t SET a = 1 RETURNING 1) SELECT 1) SELECT 1",
        "WITH d AS (SELECT 1) INSERT INTO t SELECT * FROM d",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (ANALYZE) SELECT 1",
        "EXPLAIN (ANALYZE 1) SELECT 1",
        "EXPLAIN (ANALYZE true) SELECT 1",
        "EXPLAIN DELETE FROM t",
        "EXPLAIN CREATE TABLE x AS SELECT 1",
        "EXPLAIN EXECUTE x",
        "SELECT * FROM t TABLESAMPLE mine.evil (1)",
        "SELECT * FROM pg_shadow",
        "SELECT * FROM pg_catalog.pg_authid",
        "SELECT (SELECT rolpassword FROM pg_authid LIMIT 1)",
        "TABLE pg_hba_file_rules",
        "SELECT 1 OPERATOR(mine.+) 1",
        "SELECT 1 ORDER BY 1 USING OPERATOR(mine.<)",
        "SELECT (1, 2) OPERATOR(mine.=) ANY (SELECT 1, 2)"}) {
    expect_code(sql, ErrorCode::Denied);
  }
}

TEST(PostgresGuard, RefusesFunctionsThatAreNotOnTheListWhereverTheyStand) {
  const std::vector<std::string> calls = {"pg_read_file('/etc/passwd')",
                                          "pg_sleep(1)",
                                          "pg_sleep_for('1 s')",
                                          "pg_sleep_until('2099-01-01')",
                                          "pg_catalog.\"pg_read_binary_file\"('PG_VERSION')",
                                          "U&\"pg_\\0072ead_file\"('/etc/passwd')",
                                          "U&\"pg!0072ead_file\" UESCAPE '!'('x')",
                                          "PG_LS_DIR('.')",
                                          "pg_stat_file('x')",
                                          "lo_import('/etc/passwd')",
                                          "lo_create(0)",
                                          "lo_unlink(1)",
                                          "lo_get(1)",
                                          "set_config('role', 'postgres', false)",
                                          "current_setting('data_directory')",
                                          "current_setting('data_' || 'directory')",
                                          "current_setting($1)",
                                          "query_to_xml('delete from t', true, false, '')",
                                          "table_to_xml('t', true, false, '')",
                                          "database_to_xml(true, false, '')",
                                          "cursor_to_xml('c', 1, true, false, '')",
                                          "ts_stat('select 1')",
                                          "ts_rewrite('a'::tsquery, 'select 1')",
                                          "nextval('s')",
                                          "setval('s', 9)",
                                          "currval('s')",
                                          "lastval()",
                                          "txid_current()",
                                          "pg_current_xact_id()",
                                          "pg_advisory_lock(1)",
                                          "pg_try_advisory_xact_lock(1)",
                                          "pg_notify('a', 'b')",
                                          "pg_terminate_backend(1)",
                                          "pg_cancel_backend(1)",
                                          "pg_reload_conf()",
                                          "pg_export_snapshot()",
                                          "pg_logical_emit_message(true, 'a', 'b')",
                                          "pg_create_restore_point('a')",
                                          "pg_relation_filepath('t')",
                                          "pg_hba_file_rules()",
                                          "pg_show_all_settings()",
                                          "inet_server_addr()",
                                          "public.dblink('host=a', 'select 1')",
                                          "dblink_connect('x')",
                                          "http_get('http://169.254.169.254/')",
                                          "cron.schedule('a', 'b', 'c')",
                                          "data.wipe()",
                                          "public.lower('a')",
                                          "db.pg_catalog.lower('a')",
                                          "pg_stat_get_activity(1)",
                                          "setseed(0.5)",
                                          "brin_summarize_new_values('i')",
                                          "gin_clean_pending_list('i')",
                                          "pg_switch_wal()",
                                          "pg_log_backend_memory_contexts(1)",
                                          "int4in('1')",
                                          "pg_sequence_last_value('s')"};
  const std::vector<std::string> places = {
      "SELECT %",
      "SELECT * FROM % x",
      "SELECT * FROM t, LATERAL % x",
      "SELECT 1 WHERE % IS NULL",
      "SELECT 1 ORDER BY %",
      "SELECT 1 GROUP BY a HAVING % IS NULL",
      "SELECT 1 LIMIT (%)::int",
      "SELECT count(*) FILTER (WHERE % IS NULL) FROM t",
      "SELECT sum(a) OVER (PARTITION BY % ORDER BY %) FROM t",
      "SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY %)",
      "WITH c AS (SELECT %) SELECT * FROM c",
      "SELECT (SELECT (SELECT %))",
      "SELECT lower(upper(%::text))",
      "SELECT ARRAY(SELECT %), ARRAY[%]",
      "VALUES (1, %)",
      "SELECT CASE WHEN true THEN % END",
      "SELECT coalesce(NULL, %)",
      "SELECT 1 UNION SELECT %",
      "SELECT * FROM t JOIN s ON % IS NULL",
      "SELECT (ARRAY[1])[(%)::int]",
      "SELECT make_interval(days => %)",
      "SELECT string_agg(a, 'b' ORDER BY %) FROM t",
      "SELECT xmlelement(name a, xmlattributes(% AS b))",
      "SELECT ROW(1, %)",
      "SELECT * FROM ROWS FROM (generate_series(1, 2), %) x",
      "SELECT a FROM t GROUP BY ROLLUP (%)",
      "SELECT * FROM t TABLESAMPLE SYSTEM ((%)::int)",
      "EXPLAIN SELECT %",
      "SELECT EXISTS (SELECT %)",
      "SELECT 1 IN (SELECT %), 1 = ANY (SELECT %)",
      "SELECT % COLLATE \"C\"",
      "SELECT * FROM xmltable('/a' PASSING (%)::xml COLUMNS y int DEFAULT %) t",
      "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY %) FROM t"};
  for (const std::string& call : calls) {
    for (const std::string& place : places) {
      std::string sql;
      for (const char c : place) c == '%' ? sql += call : sql += c;
      const auto result = guard(sql);
      if (result) {
        ASSERT_TRUE(has_unlisted(*result)) << sql;  // for the database
        continue;
      }
      // ROWS FROM and the like take plain calls alone: then the grammar refuses.
      EXPECT_NE(result.error().code, ErrorCode::Internal) << sql;
    }
    const auto alone = guard("SELECT " + call);
    ASSERT_TRUE(alone ? has_unlisted(*alone) : alone.error().code == ErrorCode::Denied) << call;
  }
}

// A name with a dot in it could be taken for another one with its schema.
TEST(PostgresGuard, RefusesFunctionsThatNoDatabaseCanAllow) {
  for (const std::string_view sql :
       {"SELECT pg_read_file('x')", "SELECT pg_sleep(1)", "SELECT pg_catalog.dblink('a')",
        "SELECT lo_import('x')", "SELECT db.schema.f(1)", "SELECT \"extended.similarity\"('a')",
        "SELECT nextval('s')", "SELECT query_to_xml('x', true, true, '')"}) {
    expect_code(sql, ErrorCode::Denied);
  }
}

TEST(PostgresGuard, RefusesFunctionsInTheNotationOfColumns) {
  for (const std::string_view sql :
       {"SELECT (1::bigint).pg_try_advisory_lock", "SELECT (0::oid).lo_create",
        "SELECT ('PG_VERSION'::text).pg_read_file", "SELECT (ARRAY[1::bigint])[1].pg_advisory_lock",
        "SELECT x.pg_advisory_lock FROM generate_series(1::bigint, 2) x",
        "SELECT a FROM t ORDER BY (a::bigint).pg_advisory_lock",
        "SELECT (('a'::text).upper).nextval", "SELECT (SELECT 1::bigint).pg_advisory_lock",
        "SELECT ('data_directory'::text).current_setting", "SELECT x.y.pg_ls_dir FROM x",
        "SELECT (0.5::float8).\"setseed\"", "SELECT ('a'::text).U&\"pg_\\006Cs_dir\""}) {
    expect_code(sql, ErrorCode::Denied);
  }
  for (const std::string_view sql :
       {"SELECT l.lo_orderkey, (addr).city, (t).*, t.name, (x).y.z FROM t",
        "SELECT (json_each('{}')).key", "SELECT ('a'::text).upper", "SELECT pg_read_file FROM t"}) {
    EXPECT_TRUE(guard(sql).has_value()) << sql;
  }
}

// "kind name", in order: f(unction), c(olumn), p(art), o(perator), t(ype), s(ystem table),
// (object) l(ookup), u(nlisted function).
std::vector<std::string> names_in(std::string_view sql) {
  std::vector<std::string> names;
  const auto found = guard(sql);
  EXPECT_TRUE(found.has_value()) << sql;
  if (!found || found->names == nullptr) return names;
  for (const UsedName& used : *found->names) {
    names.push_back(
        fmt::format("{} {}", "fcpotslu"[static_cast<std::size_t>(used.kind)], used.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(PostgresGuard, TellsNamesThatADatabaseMayHaveOfItsOwn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in("SELECT a FROM t"), Names());
  EXPECT_EQ(names_in("SELECT t.a, (b).c, d, e.f.g, h[1], t.* FROM t"),
            (Names{"c a", "c f", "c g", "p c"}));
  EXPECT_EQ(names_in("SELECT x.a FROM unnest(ARRAY[1]) x"), (Names{"f unnest", "p a"}));
  EXPECT_EQ(names_in("SELECT left(a, 1), pg_catalog.right(a, 1), left(b, 2) FROM t"),
            (Names{"f left"}));
  EXPECT_EQ(names_in("SELECT 1 @#@ 2, 3 OPERATOR(pg_catalog.+) 4, - 1, a LIKE 'b' FROM t"),
            (Names{"o @#@", "o ~~"}));
  EXPECT_EQ(names_in("SELECT a BETWEEN 1 AND 2 FROM t"),
            (Names{"o <", "o <=", "o >", "o >=", "o BETWEEN"}));
  for (const std::string_view sql :
       {"SELECT CASE a WHEN 1 THEN 2 END FROM t", "SELECT a IN (1, 2) FROM t",
        "SELECT a IN (SELECT 1) FROM t", "SELECT 1 FROM t JOIN u USING (a)",
        "SELECT 1 FROM t NATURAL JOIN u", "SELECT nullif(a, 1) FROM t"}) {
    EXPECT_EQ(names_in(sql), (Names{"o ="})) << sql;
  }
  EXPECT_EQ(names_in("SELECT a::int, b::ty, CAST(c AS data.dom[]) FROM t"),
            (Names{"t data.dom", "t ty"}));
  EXPECT_EQ(names_in("SELECT * FROM json_to_record('{}') AS x(a data.dom, b text)"),
            (Names{"f json_to_record", "t data.dom", "t text"}));
  EXPECT_EQ(names_in("SELECT * FROM pg_class, pg_catalog.pg_type, data.pg_x"),
            (Names{"s pg_class", "s pg_type"}));
  EXPECT_EQ(names_in("SELECT similarity(a, b), extended.f(a) FROM t"),
            (Names{"f similarity", "u extended.f", "u similarity"}));
  EXPECT_EQ(names_in("SELECT a::regclass, b::pg_catalog._regtype, pg_catalog.pg_get_viewdef(c), "
                     "(d).format_type, e::data.regclass FROM t"),
            (Names{"l _regtype", "l format_type", "l pg_get_viewdef", "l regclass", "p format_type",
                   "t data.regclass", "t regclass"}));
}

TEST(PostgresGuard, TablesWithSecretsAreClosedInBothSchemasOfTheSystem) {
  for (const std::string_view sql :
       {"SELECT * FROM information_schema.user_mapping_options", "TABLE pg_config",
        "SELECT option_value FROM information_schema.\"user_mapping_options\"",
        "TABLE information_schema._pg_user_mappings", "SELECT * FROM user_mapping_options",
        "SELECT pg_input_is_valid('1', 'data.dom')"}) {
    expect_code(sql, ErrorCode::Denied);
  }
  EXPECT_TRUE(guard("SELECT * FROM data.user_mapping_options").has_value());
}

TEST(PostgresGuard, SaysWhatIsRefusedAndWhereAndWhatIsNear) {
  SqlProblem problem;
  const auto result = guard_statement("SELECT 'é',\n  lo_get('a')", problem);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().to_string(),
              ::testing::StartsWith("sql:2:3: the function lo_get is not one of those that may be "
                                    "called ("));
  EXPECT_EQ(problem.name, "lo_get");
  EXPECT_EQ(unlisted_function_error("lenght", problem).to_string(),
            "the function lenght is not one of those that may be called (did you mean length, "
            "height?)");
  EXPECT_EQ(problem.kind, SqlProblem::Kind::UnknownFunction);
  EXPECT_EQ(problem.name, "lenght");
}

TEST(PostgresGuard, GivesThePlaceOfSyntaxErrorsInCharacters) {
  SqlProblem problem;
  const auto result = guard_statement("SELECT 'éé'\nFRM x y", problem);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(result.error().position, (TextPosition{2, 5}));
  EXPECT_EQ(problem.kind, SqlProblem::Kind::Syntax);
}

TEST(PostgresGuard, LeavesTheSemicolonAndWhatIsBehindItOut) {
  const std::string_view sql = " SELECT 1 ; -- end";
  const auto result = guard(sql);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->text_of(sql), " SELECT 1 ");
}

TEST(PostgresGuard, FindsWhatIsExplained) {
  for (const std::string_view sql :
       {"EXPLAIN SELECT 2", "EXPLAIN (COSTS off, FORMAT json) SELECT 2",
        "EXPLAIN VERBOSE SELECT 2;", "/* a */ explain\n(costs) -- b\n SELECT 2"}) {
    const auto result = guard(sql);
    ASSERT_TRUE(result.has_value()) << sql;
    EXPECT_EQ(result->kind, GuardedStatement::Kind::Explain);
    EXPECT_EQ(result->inner_of(sql), "SELECT 2");
  }
  const std::string_view nested = "EXPLAIN (SELECT 2)";
  EXPECT_EQ(guard(nested)->inner_of(nested), "(SELECT 2)");
}

TEST(PostgresGuard, CountsParameters) {
  EXPECT_EQ(guard("SELECT $3 FROM t WHERE a = $1")->parameters, 3U);
  EXPECT_EQ(guard("SELECT 1")->parameters, 0U);
}

TEST(PostgresGuard, RefusesCharactersThatHide) {
  expect_code("SELECT\xC2\xA0 1", ErrorCode::InvalidInput);
  expect_code("SELECT\xE2\x80\x8B 1", ErrorCode::InvalidInput);
  expect_code("\xE2\x80\xAESELECT 1", ErrorCode::InvalidInput);
  expect_code(std::string_view("SELECT 1\0; DROP TABLE t", 23), ErrorCode::InvalidInput);
  expect_code("SELECT '\xFF'", ErrorCode::InvalidInput);
  expect_code("", ErrorCode::InvalidInput);
  expect_code(" -- nothing", ErrorCode::InvalidInput);
}

std::string repeated(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST(PostgresGuard, BoundsDepthAndSize) {
  for (const std::size_t count : {3'000U, 9'900U, 100'000U, 200'000U}) {
    for (const std::string& sql :
         {"SELECT " + repeated("(", count) + "1" + repeated(")", count),
          "SELECT 1" + repeated("+1", count), "SELECT " + repeated("NOT ", count) + "true",
          "SELECT 1" + repeated("::int", count), "SELECT a" + repeated("[1]", count),
          "SELECT " + repeated("lower(", count) + "a" + repeated(")", count),
          "SELECT 1" + repeated("=1", count), "SELECT a" + repeated(".a", count)}) {
      const auto result = guard(sql);
      if (count >= 100'000) {
        EXPECT_FALSE(result.has_value()) << sql.substr(0, 20) << count;
      }
    }
  }
  EXPECT_TRUE(guard("SELECT 1" + repeated("+1", 150)).has_value());
  EXPECT_TRUE(guard("SELECT 1 IN (1" + repeated(",1", 100'000) + ")").has_value());
  EXPECT_TRUE(guard("SELECT 1 WHERE a" + repeated(" OR a", 2'000)).has_value());
  expect_code("SELECT " + std::string(kSqlBytesMax, ' '), ErrorCode::LimitExceeded);
}

TEST(PostgresGuard, DecidesTheAttackCorpus) {
  HELVE_SHARED_PATH(path, "data/attacks/sql_attacks.json");
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const auto corpus = parse_json(text.str());
  ASSERT_TRUE(corpus.has_value());
  std::size_t blocked = 0;
  std::size_t allowed = 0;
  for (const JsonValue& entry : *corpus->if_array()) {
    const std::string& engine = *entry.find("engine")->if_string();
    if (engine != "postgresql" && engine != "any") continue;
    const std::string& layer = *entry.find("layer")->if_string();
    const bool is_blocked = *entry.find("expect")->if_string() == "block";
    const std::string& sql = *entry.find("sql")->if_string();
    const bool is_ours = layer == "grammar" || layer == "policy" || layer == "parse";
    const auto result = guard(sql);
    if (is_blocked && is_ours) {
      EXPECT_TRUE(!result.has_value() || has_unlisted(*result))
          << *entry.find("id")->if_string() << ": " << sql;
      ++blocked;
    } else if (!is_blocked) {
      EXPECT_TRUE(result.has_value()) << *entry.find("id")->if_string() << ": " << sql;
      ++allowed;
    }
  }
  EXPECT_GT(blocked, 40U);
  EXPECT_GT(allowed, 10U);
}

TEST(PostgresGuard, ListsFunctionsByTheirNames) {
  EXPECT_TRUE(is_allowed_function("lower"));
  EXPECT_TRUE(is_allowed_function("xpath_exists"));
  EXPECT_TRUE(is_allowed_function("abbrev"));
  EXPECT_FALSE(is_allowed_function("LOWER"));
  EXPECT_FALSE(is_allowed_function(""));
  EXPECT_FALSE(is_allowed_function("lower upper"));
}

}  // namespace
}  // namespace helve::sql
