// data_modify, ddl_execute and transaction on a database of each engine: what is asked, made, held
// and rolled back. Each skips where its server is not installed.
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include "base/stdio.h"
#include "sources/sql/mysql/mysql_source.h"
#include "sources/sql/postgres/postgres_source.h"
#include "sources/sql/sqlite/sqlite_testing.h"
#include "sources/sql/sqlite/sqlite_worker.h"
#include "tests/integration/sql/mysql/live_server.h"
#include "tests/support/database_server.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

// A database, and somebody else who is connected to it.
class Place {
 public:
  virtual ~Place() = default;
  virtual void run(const std::string& sql) = 0;  // several statements
  virtual std::string ask(const std::string& sql) = 0;
  virtual std::shared_ptr<const TableSource> open() = 0;
};

class SqlitePlace final : public Place {
 public:
  void run(const std::string& sql) override { sql::Writer(path()).run(sql); }
  std::string ask(const std::string& sql) override {
    sql::Writer writer(path());
    std::string found;
    const auto keep = [](void* out, int count, char** cells, char**) {
      if (count > 0 && cells[0] != nullptr) *static_cast<std::string*>(out) = cells[0];
      return 0;
    };
    sqlite3_exec(writer.get(), sql.c_str(), keep, &found, nullptr);
    return found;
  }
  std::shared_ptr<const TableSource> open() override {
    sql::DatabaseOptions options = sql::options_for(path());
    options.name = "shop";
    options.is_writable = true;
    return *sql::open_sqlite(std::move(options), real_env());
  }

 private:
  std::filesystem::path path() const { return directory_ / "shop.db"; }
  TempDirectory directory_;
};

class PostgresPlace final : public Place {
 public:
  bool is_there() const { return server_.is_running(); }
  void run(const std::string& sql) override { ask(sql); }
  std::string ask(const std::string& sql) override {
    PGconn* const connection =
        PQconnectdb(("host=" + server_.socket() + " user=postgres dbname=postgres").c_str());
    PGresult* const result =
        PQexec(connection, ("SET client_min_messages = error; " + sql).c_str());
    const auto status = PQresultStatus(result);
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << PQerrorMessage(connection);
    std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return value;
  }
  std::shared_ptr<const TableSource> open() override {
    sql::DatabaseOptions options;
    options.name = "shop";
    options.is_writable = true;
    options.address.dialect = SqlDialect::PostgreSql;
    options.address.host = server_.socket();
    options.address.user = "postgres";
    options.address.database = "postgres";
    options.read_variable = [](const char* name) { return std::getenv(name); };
    return *sql::open_postgres(std::move(options), real_env());
  }

 private:
  helve::testing::DatabaseServer server_{"postgresql"};
};

class MysqlPlace final : public Place {
 public:
  explicit MysqlPlace(const sql::LiveServer& server) : server_(server) {
    server_.run("CREATE DATABASE IF NOT EXISTS written");
  }
  void run(const std::string& sql) override { server_.run("USE written; " + sql); }
  std::string ask(const std::string& sql) override {
    std::string full = sql;
    const std::size_t from = full.find("FROM ");
    if (from != std::string::npos) full.insert(from + 5, "written.");
    return server_.ask(full);
  }
  std::shared_ptr<const TableSource> open() override {
    sql::DatabaseOptions options;
    options.name = "shop";
    options.is_writable = true;
    options.address.dialect = SqlDialect::MySql;
    options.address.host = server_.socket;
    options.address.user = "root";
    options.address.database = "written";
    options.read_variable = [](const char* name) { return std::getenv(name); };
    return *sql::open_mysql(std::move(options), real_env());
  }

 private:
  const sql::LiveServer& server_;
};

// One for the whole program: servers take a while to start. Null where there is none.
Place* place_of(SqlDialect dialect) {
  if (dialect == SqlDialect::Sqlite) {
    static SqlitePlace place;
    return &place;
  }
  if (dialect == SqlDialect::PostgreSql) {
    static PostgresPlace place;
    return place.is_there() ? &place : nullptr;
  }
  static const sql::LiveServer* const server = sql::LiveServer::get();
  if (server == nullptr) return nullptr;
  static MysqlPlace place(*server);
  return &place;
}

class SqlWrites : public ToolTest, public ::testing::WithParamInterface<SqlDialect> {
 protected:
  void SetUp() override {
    place_ = place_of(GetParam());
    if (place_ == nullptr) GTEST_SKIP() << "there is no server of this engine";
    place_->run(R"(
      DROP TABLE IF EXISTS kid; DROP TABLE IF EXISTS part; DROP TABLE IF EXISTS item; DROP TABLE IF EXISTS noted;
      DROP TABLE IF EXISTS log; DROP TABLE IF EXISTS fresh;
      CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, price INTEGER);
      CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER);
      CREATE TABLE noted (id INTEGER PRIMARY KEY, x INTEGER);
      CREATE TABLE log (x INTEGER);
      INSERT INTO item VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, 'd', 40), (5, 'e', 50);
      INSERT INTO noted VALUES (1, 1), (2, 1), (3, 1))");
    add_trigger();
    log_ = std::make_shared<ListedAudit::Log>();
    toolkit_ = *Toolkit::make({}, real_env(), helve::testing::graph_factory(),
                              std::make_unique<ListedAudit>(log_));
    ASSERT_TRUE(toolkit_->add_source(place_->open()).has_value());
    set_policy(R"({"read_only": false, "require_confirmation": "two_step"})");
  }

  void add_trigger() {
    if (GetParam() == SqlDialect::PostgreSql) {
      place_->run(
          "CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT "
          "INTO "
          "log VALUES (NEW.x); RETURN NEW; END$$; CREATE TRIGGER noting AFTER UPDATE ON noted FOR "
          "EACH ROW EXECUTE FUNCTION note()");
    } else {
      const bool is_sqlite = GetParam() == SqlDialect::Sqlite;
      place_->run(std::string("CREATE TRIGGER noting AFTER UPDATE ON noted FOR EACH ROW ") +
                  (is_sqlite ? "BEGIN INSERT INTO log VALUES (NEW.x); END"
                             : "INSERT INTO log VALUES (NEW.x)"));
    }
  }

  void set_policy(std::string_view json) {
    auto policy = policy_from_json(*parse_json(json));
    ASSERT_TRUE(policy.has_value()) << policy.error().to_string();
    caller_.policy = std::make_shared<const Policy>(*std::move(policy));
  }
  static std::string with(std::string_view sql, std::string_view token = "") {
    std::string json = "{\"sql\":" + to_json(JsonValue(sql)) + ", \"source\": \"shop\"";
    if (!token.empty()) json += ", \"confirm\":\"" + std::string(token) + "\"";
    return json + "}";
  }
  JsonValue modify(std::string_view sql, std::string_view token = "") {
    return call("data_modify", with(sql, token));
  }
  std::string refused(std::string_view tool, std::string_view arguments) {
    const JsonValue json = call(tool, arguments, false);
    const JsonValue* error = json.find("error");
    if (error == nullptr) return to_json(json);
    return text(*error, "code") + ": " + text(*error, "message") + ": " + text(*error, "detail");
  }
  std::string rows_behind(const JsonValue& reply, std::string_view key) {
    const JsonValue* ref = reply.find(key);
    if (ref == nullptr) return "(no " + std::string(key) + ")";
    return to_json(
        *call("sparql_slice", "{\"result\":\"" + text(*ref, "key") + "\"}").find("rows"));
  }

  Place* place_ = nullptr;
  std::shared_ptr<ListedAudit::Log> log_;
};

TEST_P(SqlWrites, AsksAndThenMakesTheChange) {
  constexpr std::string_view kSql = "UPDATE item SET price = price + 1 WHERE id <= 2";
  const JsonValue asked = modify(kSql);
  EXPECT_EQ(text(asked, "status"), "confirmation_required");
  EXPECT_EQ(number(asked, "estimated"), 2);
  EXPECT_EQ(text(asked, "estimate_is"), "exact");
  EXPECT_EQ(place_->ask("SELECT SUM(price) FROM item"), "150");
  const JsonValue done = modify(kSql, text(asked, "confirm"));
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_EQ(number(done, "affected"), 2);
  EXPECT_EQ(place_->ask("SELECT SUM(price) FROM item"), "152");
  EXPECT_THAT(rows_behind(done, "before"), HasSubstr("20"));
  EXPECT_THAT(rows_behind(done, "after"), HasSubstr("21"));
  EXPECT_THAT(refused("data_modify", with(kSql, text(asked, "confirm"))), HasSubstr("denied"));
  EXPECT_EQ(place_->ask("SELECT SUM(price) FROM item"), "152");
}

TEST_P(SqlWrites, MakesAllKindsOfChanges) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  EXPECT_EQ(number(modify("INSERT INTO item (id, name, price) VALUES (6, 'f', 1), (7, 'g', 2)"),
                   "affected"),
            2);
  EXPECT_EQ(number(modify("DELETE FROM item WHERE id = 7"), "affected"), 1);
  EXPECT_EQ(number(modify("UPDATE item SET price = 0"), "affected"), 6);
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item WHERE price = 0"), "6");
}

TEST_P(SqlWrites, RefusesWhatIsNoChangeOfOneTable) {
  for (const char* sql :
       {"SELECT * FROM item", "DELETE FROM item; DELETE FROM part", "DROP TABLE item",
        "GRANT ALL ON item TO PUBLIC", "UPDATE itme SET price = 1"}) {
    refused("data_modify", with(sql));
  }
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "5");
  set_policy(R"({"read_only": false, "denied_tables": ["part"], "require_confirmation": false})");
  EXPECT_THAT(refused("data_modify", with("DELETE FROM part")), HasSubstr("denied"));
  EXPECT_THAT(refused("ddl_execute", with("DROP TABLE item")), HasSubstr("denied"));
}

TEST_P(SqlWrites, AnErrorLeavesNothingBehind) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  EXPECT_THAT(refused("data_modify", with("INSERT INTO item (id, name) VALUES (6, 'f'), (7, 'a')")),
              HasSubstr("name"));
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "5");
  EXPECT_EQ(number(modify("INSERT INTO item (id, name) VALUES (6, 'f')"), "affected"), 1);
}

TEST_P(SqlWrites, HoldsTheMostRows) {
  set_policy(R"({"read_only": false, "max_affected_rows": 3, "require_confirmation": "two_step"})");
  EXPECT_THAT(refused("data_modify", with("DELETE FROM item WHERE id < 5")), HasSubstr("denied"));
  EXPECT_EQ(text(modify("DELETE FROM item WHERE id < 4"), "status"), "confirmation_required");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "5");
}

TEST_P(SqlWrites, RowsThatCameAfterTheQuestionAreNotChanged) {
  constexpr std::string_view kSql = "UPDATE item SET price = 0 WHERE price >= 40";
  set_policy(R"({"read_only": false, "max_affected_rows": 3, "require_confirmation": "two_step"})");
  const JsonValue asked = modify(kSql);
  EXPECT_EQ(number(asked, "estimated"), 2);
  place_->run("INSERT INTO item VALUES (6, 'f', 60)");  // within what is allowed, not what was said
  const RenderedReply again = reply("data_modify", with(kSql, text(asked, "confirm")));
  EXPECT_THAT(again.json, ::testing::Not(HasSubstr("\"done\""))) << again.json;
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item WHERE price = 0"), "0");
  const JsonValue anew = modify(kSql);
  place_->run("INSERT INTO item VALUES (7, 'g', 70), (8, 'h', 80)");  // more than is allowed
  EXPECT_THAT(refused("data_modify", with(kSql, text(anew, "confirm"))), HasSubstr("denied"));
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item WHERE price = 0"), "0");
}

TEST_P(SqlWrites, PlansThatLieDoNotLetMoreThrough) {
  set_policy(R"({"read_only": false, "max_affected_rows": 10, "require_confirmation": false})");
  // A trigger runs: it is not tried. Its rows cannot be counted beforehand, either: it is no plain
  // change.
  std::string rows;
  for (int i = 10; i < 60; ++i) rows += (rows.empty() ? "(" : ", (") + std::to_string(i) + ", 1)";
  place_->run("INSERT INTO noted VALUES " + rows);
  const std::string sql =
      GetParam() == SqlDialect::MySql
          ? "INSERT INTO noted (id, x) SELECT id, x FROM noted n2 ON DUPLICATE KEY UPDATE x = n2.x "
            "+ 5"
          : "UPDATE noted SET x = i.price FROM item i WHERE i.id = 1 AND noted.x + i.id > 0 AND "
            "noted.x * i.id > 0 AND noted.x / i.id > 0 AND noted.x - i.id = 0";
  EXPECT_THAT(refused("data_modify", with(sql)), HasSubstr("the policy allows 10 rows"));
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM noted WHERE x <> 1"), "0");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM log"), "0");
}

TEST_P(SqlWrites, HoldsTheRowsThatFollowToo) {
  place_->run(R"(
    CREATE TABLE kid (id INTEGER PRIMARY KEY, item INTEGER,
      FOREIGN KEY (item) REFERENCES item (id) ON DELETE CASCADE);
    INSERT INTO kid VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 2))");
  set_policy(R"({"read_only": false, "max_affected_rows": 4, "require_confirmation": "two_step"})");
  EXPECT_THAT(refused("data_modify", with("DELETE FROM item WHERE id = 1")),
              HasSubstr("the policy allows 4 rows"));
  set_policy(R"({"read_only": false, "max_affected_rows": 5, "require_confirmation": "two_step"})");
  const JsonValue asked = modify("DELETE FROM item WHERE id = 1");
  EXPECT_EQ(number(asked, "estimated"), 1);
  EXPECT_EQ(number(asked, "besides"), 4);
  place_->run("INSERT INTO kid VALUES (6, 1)");  // the estimate is wrong by now
  EXPECT_THAT(refused("data_modify", with("DELETE FROM item WHERE id = 1", text(asked, "confirm"))),
              HasSubstr("the policy allows 5 rows"));
  place_->run("DELETE FROM kid WHERE id > 5");
  const JsonValue done = modify("DELETE FROM item WHERE id = 1",
                                text(modify("DELETE FROM item WHERE id = 1"), "confirm"));
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_EQ(number(done, "affected"), 1);
  EXPECT_EQ(number(done, "besides"), 4);
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM kid"), "1");
}

TEST_P(SqlWrites, CountsWhatTriggersChange) {
  set_policy(R"({"read_only": false, "max_affected_rows": 5, "require_confirmation": false})");
  EXPECT_THAT(refused("data_modify", with("UPDATE noted SET x = 2")),
              HasSubstr("the policy allows 5 rows"));
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM log"), "0");
  EXPECT_EQ(number(modify("UPDATE noted SET x = 2 WHERE id < 3"), "besides"), 2);
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM log"), "2");
}

TEST_P(SqlWrites, OtherRowsThanWereShownAreAskedAboutAnew) {
  constexpr std::string_view kSql = "DELETE FROM item WHERE price >= 50";
  const JsonValue asked = modify(kSql);
  EXPECT_EQ(number(asked, "estimated"), 1);
  place_->run("UPDATE item SET price = 5 WHERE id = 5; UPDATE item SET price = 55 WHERE id = 1");
  const JsonValue anew = modify(kSql, text(asked, "confirm"));  // as many, but another
  EXPECT_EQ(text(anew, "status"), "confirmation_required");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "5");
  EXPECT_EQ(text(modify(kSql, text(anew, "confirm")), "status"), "done");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item WHERE id = 1"), "0");
}

TEST_P(SqlWrites, RowsOfAQueryAreCountedBeforeTheyAreWritten) {
  set_policy(R"({"read_only": false, "max_affected_rows": 4, "require_confirmation": "two_step"})");
  EXPECT_THAT(refused("data_modify",
                      with("INSERT INTO part (id, item) SELECT id, price FROM item WHERE id > 0")),
              HasSubstr("more than 4 rows would be written"));
  EXPECT_EQ(number(modify("INSERT INTO part (id, item) SELECT id, price FROM item WHERE id > 1"),
                   "estimated"),
            4);
}

TEST_P(SqlWrites, DefinitionsThatTakeRowsAreHeldToo) {
  set_policy(
      R"({"read_only": false, "allow_ddl": true, "require_confirmation": false, "max_affected_rows": 4})");
  std::vector<std::string> many{"ALTER TABLE item DROP COLUMN price", "DROP TABLE item"};
  if (GetParam() == SqlDialect::MySql) {
    many.insert(many.end(), {"ALTER TABLE item MODIFY price VARCHAR(20)", "TRUNCATE TABLE item",
                             "ALTER TABLE item ADD COLUMN code VARCHAR(40) DEFAULT (UUID())"});
  } else {
    many.emplace_back("CREATE TABLE fresh AS SELECT * FROM item");
  }
  if (GetParam() == SqlDialect::PostgreSql) {
    many.insert(many.end(), {"ALTER TABLE item ALTER price TYPE text USING price::text",
                             "ALTER TABLE item ADD COLUMN code float DEFAULT random()",
                             "TRUNCATE item", "TRUNCATE item CASCADE", "DROP TABLE item CASCADE"});
  }
  for (const std::string& sql : many) {
    EXPECT_THAT(refused("ddl_execute", with(sql)), HasSubstr("the policy allows 4 rows")) << sql;
  }
  EXPECT_EQ(place_->ask("SELECT SUM(price) FROM item"), "150");
  call("ddl_execute", with("ALTER TABLE item ADD COLUMN size INTEGER"));
  call("ddl_execute", with("ALTER TABLE part DROP COLUMN item"));  // it has no rows
}

TEST_P(SqlWrites, KeepsAsManyRowsAsThePolicySays) {
  set_policy(R"({"read_only": false, "snapshot_rows": 2, "require_confirmation": false})");
  const JsonValue done = modify("UPDATE item SET price = 1");
  EXPECT_EQ(number(done, "affected"), 5);
  const auto kept = parse_json(rows_behind(done, "before"));
  ASSERT_TRUE(kept && kept->if_array() != nullptr) << to_json(done);
  EXPECT_EQ(kept->if_array()->size(), 2U);
}

TEST_P(SqlWrites, SaysWhatRunsBesides) {
  const std::string json = to_json(modify("UPDATE noted SET x = 2 WHERE id = 1"));
  EXPECT_THAT(json, HasSubstr("noting"));
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM log"), "0");  // it was not tried
}

TEST_P(SqlWrites, TransactionsEndAsAWhole) {
  set_policy(R"({"read_only": false, "require_confirmation": false, "max_affected_rows": 4})");
  const std::string begin = R"({"action": "begin", "source": "shop"})";
  call("transaction", begin);
  modify("DELETE FROM item WHERE id = 1");
  modify("UPDATE item SET price = 0 WHERE id = 2");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "5");
  refused("data_modify", with("UPDATE item SET price = 0"));  // beyond what is left of the rows
  call("transaction", R"({"action": "commit", "source": "shop"})");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "4");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item WHERE price = 0"), "1");
  call("transaction", begin);
  modify("DELETE FROM item WHERE id = 2");
  call("transaction", R"({"action": "rollback", "source": "shop"})");
  EXPECT_EQ(place_->ask("SELECT COUNT(*) FROM item"), "4");
}

TEST_P(SqlWrites, Defines) {
  set_policy(R"({"read_only": false, "allow_ddl": true, "require_confirmation": false})");
  call("ddl_execute", with("CREATE TABLE fresh (id INTEGER PRIMARY KEY, name VARCHAR(10))"));
  EXPECT_EQ(number(modify("INSERT INTO fresh (id, name) VALUES (1, 'x')"), "affected"), 1);
  call("ddl_execute", with("ALTER TABLE fresh ADD COLUMN size INTEGER"));
  call("ddl_execute", with("CREATE INDEX by_size ON fresh (size)"));
  EXPECT_EQ(place_->ask("SELECT size FROM fresh"), "");
  call("ddl_execute", with("DROP TABLE fresh"));
}

INSTANTIATE_TEST_SUITE_P(Engines, SqlWrites,
                         ::testing::Values(SqlDialect::Sqlite, SqlDialect::PostgreSql,
                                           SqlDialect::MySql),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace helve::toolkit

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "sql-worker") {
    helve::end_with_stdin();
    const auto in = helve::patient_stdin_source();
    const auto out = helve::stdout_sink();
    return helve::sql::run_sqlite_worker(*in, *out, helve::real_clock());
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
