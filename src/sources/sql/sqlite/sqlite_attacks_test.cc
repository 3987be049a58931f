// Statements that must not do what they want, and others that must not be mistaken for them; rules
// about tables; burners under a deadline. The file stays as it is, byte for byte.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "base/json.h"
#include "sources/sql/sqlite/sqlite_testing.h"
#include "tests/support/test_data.h"

namespace helve::sql {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAttackSchema = R"sql(
  CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, secret TEXT);
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000)
  INSERT INTO t SELECT n, 'some name', 'secret ' || n FROM c;
  CREATE TABLE u(id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id));
  INSERT INTO u VALUES (1, 1);
  CREATE VIEW v AS SELECT id, name FROM t;
  CREATE VIEW leak AS SELECT id, secret AS harmless FROM t;
  CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM u; END;
  CREATE VIRTUAL TABLE ft USING fts5(a, b);
  INSERT INTO ft VALUES ('one two', 'hidden words');
  CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1);
  INSERT INTO rt VALUES (1, 0, 1);
)sql";

class SqliteAttacks : public ::testing::Test {
 protected:
  SqliteAttacks() : path_(folder_ / "data.db") {
    make_database(path_, kAttackSchema);
    before_ = bytes_of(path_);
    source_ = source_of(options_for(path_), env_);
  }
  ~SqliteAttacks() override {
    EXPECT_EQ(bytes_of(path_), before_);
    EXPECT_FALSE(std::filesystem::exists(path_.native() + "-journal"));
  }

  Answer attack(std::string sql, const TableRules& rules = {},
                Duration timeout = std::chrono::milliseconds(1'000)) {
    TableQuery query;
    query.sql = std::move(sql);
    query.rows_max = 100;
    query.rules = std::make_shared<const TableRules>(rules);
    return ask(*source_, query, timeout);
  }
  // The next call works, whatever the last one did.
  void expect_alive() {
    EXPECT_EQ(attack("SELECT name FROM t WHERE id = 7").text, "\"some name\"\n");
  }

  TempDirectory folder_;
  std::filesystem::path path_;
  std::string before_;
  CountingEnv env_;
  std::shared_ptr<const TableSource> source_;
};

TEST_F(SqliteAttacks, NothingButReading) {
  for (const char* sql : {
           "DELETE FROM t",
           "WITH x AS (SELECT 1) DELETE FROM t",
           "WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2, 3 FROM x",
           "UPDATE t SET name = 1 RETURNING id",
           "INSERT INTO rt VALUES (2, 1, 1)",
           "CREATE TEMP TABLE x AS SELECT * FROM t",
           "VACUUM",
           "VACUUM INTO 'x.db'",
           "EXPLAIN VACUUM INTO 'x.db'",
           "EXPLAIN QUERY PLAN DELETE FROM t",
           "REINDEX",
           "ANALYZE",
           "SAVEPOINT s",
           "RELEASE s",
           "ROLLBACK",
           "PRAGMA user_version",
           "PRAGMA user_version = 3",
           "PRAGMA database_list",
           "PRAGMA table_info(t); DELETE FROM t",
           "SELECT 1;\n-- c\n;; DROP TABLE t",
           "SELECT * FROM pragma_user_version",
           "SELECT count(*) FROM pragma_database_list",
           "SELECT file FROM pragma_database_list",
           "SELECT * FROM (SELECT * FROM pragma_compile_options)",
           "SELECT sqlite_compileoption_get(0)",
           "SELECT fts3_tokenizer('simple')",
           "SELECT fts5('x')",
           "SELECT optimize(ft) FROM ft",
           "SELECT writefile('x', 'y')",
           "SELECT edit('x')",
           "SELECT count(*) FROM dbstat",
           "SELECT * FROM sqlite_stmt",
           "SELECT * FROM fts3tokenize('simple', 'x')",
           "SELECT * FROM t WHERE name = \"some name\"",
           "",
           "   ",
           "-- nothing",
           ";",
       }) {
    const auto answer = attack(sql);
    EXPECT_TRUE(answer.run.error) << sql << "\n" << answer.text;
    EXPECT_EQ(answer.run.rows, 0) << sql;
  }
  expect_alive();
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteAttacks, ReadingIsNotMistaken) {
  for (const char* sql : {
           "SELECT count(*) FROM t",
           "SELECT * FROM v",
           "SELECT name FROM sqlite_schema",
           "PRAGMA table_info(t)",
           "PRAGMA main.foreign_key_list('u')",
           "SELECT * FROM pragma_table_list",
           "SELECT i.name, x.* FROM pragma_index_list('t') i, pragma_index_xinfo(i.name) x "
           "UNION ALL SELECT 1, 1, 1, 1, 1, 1, 1",
           "SELECT 'DROP TABLE t; --' AS x;  -- done\n /* really */ ;",
           "EXPLAIN SELECT 1",
           "SELECT name LIKE '%' || 'o%' FROM t",
           "SELECT 'a' LIKE '%a very long pattern that nobody should have to shorten to fit in%' "
           "FROM t",
           "SELECT 'a' GLOB 'a*', date('now'), printf('%d', 3), '{\"a\": 1}' ->> 'a'",
           "SELECT row_number() OVER (PARTITION BY name ORDER BY id) FROM t",
           "SELECT a FROM ft WHERE ft MATCH 'two'",
           "SELECT * FROM rt",
           "VALUES (1, 2), (3, 4)",
       }) {
    const auto answer = attack(sql);
    EXPECT_FALSE(answer.run.error) << sql << "\n" << answer.text;
    EXPECT_GT(answer.run.rows, 0) << sql;
  }
}

TEST_F(SqliteAttacks, DeniedColumnsAreNamed) {
  TableRules rules;
  rules.denied_columns = {"T.Secret", "ft.b"};
  for (const char* sql : {
           "SELECT secret FROM t",
           "SELECT * FROM t",
           "SELECT id FROM t WHERE secret LIKE 's%'",
           "SELECT count(*) FROM t ORDER BY max(secret)",
           "SELECT harmless FROM leak",
           "SELECT count(*) FROM leak",
           "WITH t2 AS (SELECT * FROM t) SELECT id FROM t2",
           "SELECT (SELECT x.secret FROM main.t x LIMIT 1)",
           "SELECT t.id FROM t JOIN t y USING (id, secret)",
           "SELECT count(*) FROM t JOIN (SELECT 'secret 7' AS secret) USING (secret)",
           "SELECT 1 FROM t NATURAL JOIN (SELECT 'secret 7' AS secret)",
           "SELECT 1 FROM 't' NATURAL JOIN (SELECT 'secret 7' AS secret)",
           "SELECT b FROM ft",
           "SELECT a FROM ft WHERE ft MATCH 'b : hidden'",
           "SELECT a FROM ft('b : hidden')",
           "SELECT a FROM ft WHERE ft = 'b : hidden'",
           "SELECT * FROM ft_content",
           "SELECT c1 FROM main.\"ft_content\"",
           "SELECT * FROM sqlite_stat4",
       }) {
    const auto answer = attack(sql, rules);
    EXPECT_TRUE(answer.run.error) << sql << "\n" << answer.text;
    EXPECT_EQ(answer.run.rows, 0) << sql;
  }
  EXPECT_EQ(attack("SELECT * FROM t", rules).code(), ErrorCode::Denied);
  EXPECT_THAT(attack("SELECT * FROM t", rules).text, HasSubstr("'t.secret'"));
  for (const char* sql : {"SELECT id, name FROM t", "SELECT count(*) FROM t", "SELECT * FROM v",
                          "SELECT a FROM ft WHERE a MATCH 'one'", "SELECT * FROM u",
                          "SELECT * FROM u JOIN (SELECT 1 AS id) USING (id)",
                          "WITH secret AS (SELECT 1 AS n) SELECT n FROM secret"}) {
    EXPECT_FALSE(attack(sql, rules).run.error) << sql << attack(sql, rules).text;
  }
  // Rules are those of the call, not of the worker.
  EXPECT_FALSE(attack("SELECT * FROM t").run.error);
  EXPECT_TRUE(attack("SELECT * FROM t", rules).run.error);
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteAttacks, TablesAreHeldToTheRules) {
  TableRules denied;
  denied.denied_tables = {"t", "ft"};
  for (const char* sql : {"SELECT id FROM t", "SELECT count(*) FROM t", "SELECT * FROM v",
                          "SELECT count(*) FROM t JOIN (SELECT 'x' AS secret) USING (secret)",
                          "SELECT 1 FROM u, t", "SELECT * FROM ft", "SELECT * FROM ft_data",
                          "PRAGMA table_info(t)", "SELECT * FROM pragma_table_info('t')"}) {
    EXPECT_EQ(attack(sql, denied).code(), ErrorCode::Denied) << sql;
  }
  EXPECT_FALSE(attack("SELECT * FROM u", denied).run.error);

  TableRules allowed;
  allowed.allowed_tables = {"main.u", "V", "ft"};
  for (const char* sql : {
           "SELECT id FROM t",
           "SELECT count(*) FROM t",
           "SELECT * FROM leak",
           "SELECT * FROM sqlite_schema",
           "SELECT * FROM sqlite_master",
           "SELECT * FROM pragma_table_list",
           "WITH v AS (SELECT secret FROM t) SELECT * FROM v",
           "WITH v(x) AS (SELECT secret FROM t) SELECT x FROM v",
           "WITH \"V\" AS MATERIALIZED (SELECT secret FROM t) SELECT * FROM v",
           "SELECT * FROM (SELECT secret FROM t) AS v",
           "SELECT * FROM v, t",
           "SELECT c0 FROM ft_content",
           "SELECT * FROM rt",
       }) {
    const auto answer = attack(sql, allowed);
    EXPECT_EQ(answer.code(), ErrorCode::Denied) << sql << answer.text;
    EXPECT_EQ(answer.run.rows, 0) << sql;
  }
  for (const char* sql :
       {"SELECT * FROM u", "SELECT * FROM v", "SELECT count(*) FROM v",
        "SELECT a FROM ft WHERE ft MATCH 'one'", "SELECT value FROM json_each('[1]')",
        "WITH c AS (SELECT * FROM u) SELECT count(*) FROM c",
        "SELECT u.id FROM u JOIN v ON v.id = u.t_id"}) {
    EXPECT_FALSE(attack(sql, allowed).run.error) << sql << attack(sql, allowed).text;
  }
}

TEST_F(SqliteAttacks, BurnersEndAndTheNextCallWorks) {
  constexpr const char* kEndless =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) ";
  for (const std::string& sql : {
           std::string(kEndless) + "SELECT count(*) FROM c",
           std::string("SELECT count(*) FROM t a, t b, t c, t d"),
           std::string(kEndless) + "SELECT n FROM c WHERE n < 0",
       }) {
    const auto answer = attack(sql, {}, std::chrono::milliseconds(400));
    EXPECT_EQ(answer.code(), ErrorCode::LimitExceeded) << sql;
    expect_alive();
  }
  EXPECT_EQ(env_.counted.started, 1);  // those ended by themselves

  // One operation that outlasts any deadline: the worker is killed.
  int started = env_.counted.started;
  for (const char* sql : {
           "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(3000000)) || '1')",
           "SELECT replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', 'x')",
       }) {
    const auto answer = attack(sql, {}, std::chrono::milliseconds(400));
    EXPECT_EQ(answer.code(), ErrorCode::LimitExceeded) << sql;
    expect_alive();
    EXPECT_EQ(env_.counted.started, ++started) << sql;
  }
}

TEST_F(SqliteAttacks, LargeValuesAreLimited) {
  for (const char* sql : {
           "SELECT zeroblob(2000000000)",
           "SELECT hex(zeroblob(900000000))",
           "SELECT printf('%.*c', 1000000000, 'x')",
           "SELECT group_concat(hex(zeroblob(100000))) FROM t",
       }) {
    EXPECT_EQ(attack(sql).code(), ErrorCode::LimitExceeded) << sql;
  }
  TableQuery query;
  query.sql = "SELECT zeroblob(10000000) FROM t";
  query.bytes_max = 50'000'000;
  const auto answer = ask(*source_, query);
  EXPECT_FALSE(answer.run.error) << answer.run.error->to_string();
  EXPECT_EQ(answer.run.rows, 2);
  EXPECT_TRUE(answer.run.has_more);
  expect_alive();
}

TEST_F(SqliteAttacks, CancellationKillsAtOnce) {
  OpContext context;
  std::thread canceller([token = context.cancel] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    token.cancel();
  });
  TermSink sink;
  TableQuery query;
  query.sql = "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(3000000)) || '1')";
  const auto run = source_->run(query, sink, context);
  canceller.join();
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->code, ErrorCode::Cancelled);
  expect_alive();
  EXPECT_EQ(env_.counted.started, 2);
}

TEST_F(SqliteAttacks, OfOthersGetTheirVerdict) {
  HELVE_SHARED_PATH(file, "data/attacks/sql_attacks.json");
  const auto json = parse_json(bytes_of(file));
  ASSERT_TRUE(json) << json.error().to_string();
  int blocked = 0;
  int allowed = 0;
  for (const JsonValue& entry : *json->if_array()) {
    const std::string& engine = *entry.find("engine")->if_string();
    const std::string& id = *entry.find("id")->if_string();
    const std::string& outcome = *entry.find("outcome")->if_string();
    if (engine != "sqlite" && engine != "any") continue;
    TableRules rules;
    if (*entry.find("cls")->if_string() == "secret") rules.denied_columns = {"t.secret"};
    const bool is_blocked = *entry.find("expect")->if_string() == "block";
    const auto answer = attack(*entry.find("sql")->if_string(), rules);
    ++(is_blocked ? blocked : allowed);
    EXPECT_EQ(bytes_of(path_), before_) << id;
    if (outcome == "rows or clean error" && answer.run.error) {
      EXPECT_NE(answer.run.error->code, ErrorCode::Unavailable) << id;
      continue;
    }
    EXPECT_EQ(answer.run.error.has_value(), is_blocked) << id << "\n" << answer.text;
    EXPECT_EQ(answer.run.rows > 0, !is_blocked) << id;
  }
  EXPECT_GT(blocked, 40);
  EXPECT_GT(allowed, 8);
  expect_alive();
}

// Workers that are not to be believed, and the calls that they are given.
TEST_F(SqliteAttacks, HostileWorkersAreNotBelieved) {
  for (const char* role : {"crashing-worker", "noisy-worker", "rows-first-worker",
                           "broken-rows-worker", "huge-frame-worker", "half-worker",
                           "flooding-worker", "silent-worker", "many-rows-worker"}) {
    const auto source = source_of(options_for(path_, role), env_);
    TableQuery query;
    query.sql = "SELECT 1";
    query.rows_max = 3;
    const auto answer = ask(*source, query, std::chrono::milliseconds(500));
    ASSERT_TRUE(answer.run.error) << role;
    const ErrorCode code = answer.run.error->code;
    EXPECT_TRUE(code == ErrorCode::Unavailable || code == ErrorCode::LimitExceeded)
        << role << answer.text;
    EXPECT_LE(answer.run.rows, 3) << role;
  }
  const auto half = ask(*source_of(options_for(path_, "half-worker")), "SELECT 1");
  EXPECT_EQ(half.run.rows, 1);  // what came before is good
  EXPECT_THAT(half.text, HasSubstr("status 3"));
  // Bytes behind an answer: it counts, but the worker is not asked again.
  const auto talkative = source_of(options_for(path_, "talkative-worker"), env_);
  const int started = env_.counted.started;
  EXPECT_FALSE(ask(*talkative, "SELECT 1").run.error);
  EXPECT_FALSE(ask(*talkative, "SELECT 1").run.error);
  EXPECT_EQ(env_.counted.started, started + 2);
}

}  // namespace
}  // namespace helve::sql
