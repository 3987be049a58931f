// The PostgreSQL adapter against a server. Skipped where PostgreSQL is not installed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <memory>
#include <thread>

#include "base/env.h"
#include "sources/sql/postgres/postgres_source.h"
#include "tests/support/database_server.h"

namespace helve::sql {
// Far less than what is waited for, far more than a busy machine needs: the benchmarks measure.
inline constexpr auto kSoon = std::chrono::seconds(5);

// Rows as text: "1|a", NULL as nothing, the datatype's last word behind ^.
class TextSink final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& names) override {
    ++headers;
    columns_ = names;
    return {};
  }
  Result<void> row(Row cells) override {
    if (rows.size() >= rows_max) return Error{ErrorCode::LimitExceeded, "full"};
    std::string line;
    for (const auto& cell : cells) {
      if (!line.empty()) line += "|";
      if (!cell) {
        line += "NULL";
        continue;
      }
      line += cell->value;
      if (!cell->datatype.empty()) {
        line += "^" + std::string(cell->datatype.substr(cell->datatype.find('#') + 1));
      }
    }
    rows.push_back(std::move(line));
    return {};
  }

  std::vector<std::string> columns_;
  std::vector<std::string> rows;
  std::size_t headers = 0;
  std::size_t rows_max = 10'000'000;
};

class PostgresLive : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<helve::testing::DatabaseServer>("postgresql");
    if (!server_->is_running()) return;
    execute(R"(
      CREATE ROLE reader LOGIN;
      CREATE SCHEMA data;
      CREATE TYPE data.mood AS ENUM ('sad', 'ok', 'happy');
      CREATE TABLE data.t (id int PRIMARY KEY, name text NOT NULL DEFAULT 'none',
        price numeric(10,2) CHECK (price >= 0), secret text, feeling data.mood,
        twice int GENERATED ALWAYS AS (id * 2) STORED);
      COMMENT ON TABLE data.t IS 'things';
      COMMENT ON COLUMN data.t.name IS 'what it is called';
      CREATE TABLE data.edge (a int REFERENCES data.t (id), b int, PRIMARY KEY (a, b));
      CREATE INDEX edge_sum ON data.edge ((a + b), b);
      CREATE VIEW data.v AS SELECT id, name FROM data.t;
      CREATE TABLE data.hidden (x int);
      CREATE SEQUENCE data.sq;
      INSERT INTO data.t SELECT g, 'n' || g, g * 1.5, 's' || g, 'ok' FROM generate_series(1, 100) g;
      INSERT INTO data.edge SELECT g, g + 1 FROM generate_series(1, 99) g;
      CREATE FUNCTION data.wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM data.t RETURNING 1';
      CREATE VIEW data.evil AS SELECT data.wipe() AS x;
      CREATE FUNCTION data.shout() RETURNS int LANGUAGE plpgsql AS
        $$BEGIN RAISE WARNING 'mind the gap'; RETURN 1; END$$;
      CREATE VIEW data.loud AS SELECT data.shout() AS x;
      CREATE FUNCTION data.nap(float8) RETURNS text LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_catalog.pg_sleep($1); RETURN ''; END$$;
      ANALYZE;
      GRANT USAGE ON SCHEMA data TO reader;
      GRANT SELECT ON data.edge, data.v, data.evil, data.loud TO reader;
      GRANT SELECT (id, name, price, feeling, twice) ON data.t TO reader;)");
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (!server_->is_running()) GTEST_SKIP() << "no PostgreSQL server is installed";
    source_ = open("reader");
  }

  static void execute(const std::string& sql) {
    PGconn* connection =
        PQconnectdb(("host=" + server_->socket() + " user=postgres dbname=postgres").c_str());
    PGresult* result = PQexec(connection, sql.c_str());
    const auto status = PQresultStatus(result);
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << PQerrorMessage(connection);
    PQclear(result);
    PQfinish(connection);
  }
  static std::string value_of(const std::string& sql) {
    PGconn* connection =
        PQconnectdb(("host=" + server_->socket() + " user=postgres dbname=postgres").c_str());
    PGresult* result = PQexec(connection, sql.c_str());
    std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return value;
  }

  // Waits until the server sleeps for the reader, or does not any more.
  static bool soon_sleeps(bool is_wanted) {
    for (int i = 0; i < 500; ++i) {
      const bool sleeps = value_of(
                              "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' "
                              "AND wait_event = 'PgSleep'") != "0";
      if (sleeps == is_wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  static DatabaseOptions options_for(const std::string& user, const std::string& host) {
    DatabaseOptions options;
    options.name = "test";
    options.address.dialect = SqlDialect::PostgreSql;
    options.address.host = host;
    options.address.user = user;
    options.address.database = "postgres";
    options.read_variable = [](const char* name) { return std::getenv(name); };
    return options;
  }
  static std::shared_ptr<const TableSource> open(const std::string& user,
                                                 std::size_t connections = 4) {
    DatabaseOptions options = options_for(user, server_->socket());
    options.connections_max = connections;
    return *open_postgres(std::move(options), real_env());
  }

  static OpContext within(int ms) {
    OpContext context;
    context.deadline = Deadline(real_clock(), std::chrono::milliseconds(ms));
    return context;
  }
  // Statements may call data.nap(), which sleeps.
  static std::shared_ptr<const TableRules> naps() {
    TableRules rules;
    rules.allowed_functions = {"data.nap"};
    return std::make_shared<const TableRules>(std::move(rules));
  }
  static SqlValue value(std::string_view text, std::string_view datatype = {}) {
    return rdf::Term(rdf::TermView::literal(text, datatype));
  }

  TableRun run(const std::string& sql, TextSink& sink, std::vector<SqlValue> parameters = {},
               int ms = 20'000) {
    TableQuery query;
    query.sql = sql;
    query.parameters = std::move(parameters);
    query.rules = naps();
    return source_->run(query, sink, within(ms));
  }
  std::vector<std::string> rows(const std::string& sql, std::vector<SqlValue> parameters = {}) {
    TextSink sink;
    const TableRun done = run(sql, sink, std::move(parameters));
    EXPECT_FALSE(done.error) << sql << ": " << done.error->to_string();
    EXPECT_EQ(done.rows, sink.rows.size());
    EXPECT_EQ(sink.headers, 1U);
    return sink.rows;
  }
  Error error(const std::string& sql, std::vector<SqlValue> parameters = {}) {
    TextSink sink;
    const TableRun done = run(sql, sink, std::move(parameters));
    EXPECT_TRUE(done.error) << sql;
    return done.error.value_or(Error{ErrorCode::Internal, "none"});
  }

  static inline std::unique_ptr<helve::testing::DatabaseServer> server_;
  std::shared_ptr<const TableSource> source_;
};

}  // namespace helve::sql
