// A bank on a PostgreSQL server. Tests are skipped if PostgreSQL is not installed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "sources/sql/postgres/live/postgres_live_testing.h"
#include "toolkit/memory/bank_place_testing.h"
#include "toolkit/memory/postgres/postgres_repository.h"

namespace helve::memory {

// One for the whole run. The role keeper may make schemas, reader may connect and no more.
class BankServer {
 public:
  static BankServer* get() {
    static BankServer server;
    return server.server_.is_running() ? &server : nullptr;
  }

  std::string socket() const { return server_.socket(); }
  std::string data_folder() const { return server_.data_folder(); }
  void restart() const { ASSERT_TRUE(server_.restart()); }

  // The last value of the statements, as the superuser.
  std::string execute(const std::string& sql) const {
    PGconn* const connection =
        PQconnectdb(("host=" + socket() + " user=postgres dbname=postgres").c_str());
    PGresult* const result = PQexec(connection, sql.c_str());
    const auto status = PQresultStatus(result);
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << PQerrorMessage(connection);
    std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return value;
  }

  PostgresBankOptions options(const std::string& schema, const std::string& user = "keeper") const {
    PostgresBankOptions options;
    options.database.name = "bank";
    options.database.address.dialect = SqlDialect::PostgreSql;
    options.database.address.host = socket();
    options.database.address.user = user;
    options.database.address.database = "postgres";
    options.database.read_variable = [](const char* name) { return std::getenv(name); };
    options.schema = schema;
    return options;
  }

  std::string new_schema() { return fmt::format("bank_{}", ++schemas_); }

 private:
  BankServer() {
    if (!server_.is_running()) return;
    // The server begins with both off: one is its owner's to say, the other ours.
    execute("ALTER SYSTEM SET fsync = on");
    execute("SELECT pg_reload_conf()");
    for (int i = 0; i < 500 && execute("SHOW fsync") != "on"; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    execute("CREATE ROLE keeper LOGIN; GRANT CREATE ON DATABASE postgres TO keeper");
    execute("CREATE ROLE reader LOGIN; CREATE ROLE writer LOGIN");
  }

  helve::testing::DatabaseServer server_{"postgresql"};
  int schemas_ = 0;
};

class ServerPlace final : public BankPlace {
 public:
  explicit ServerPlace(BankServer& server) : server_(server), schema_(server.new_schema()) {}
  Result<std::unique_ptr<MemoryRepository>> open(bool is_made) override {
    PostgresBankOptions options = server_.options(schema_);
    options.is_made = is_made;
    return open_postgres_repository(std::move(options), real_env(), {});
  }
  const std::string& schema() const { return schema_; }

 private:
  BankServer& server_;
  std::string schema_;
};

}  // namespace helve::memory
