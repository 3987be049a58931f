#include "bench/sql_bare.h"

#include <libpq-fe.h>
#include <mysql.h>
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>

namespace helve::bench {

namespace {

[[noreturn]] void fail(const char* message) {
  std::fprintf(stderr, "sql_overhead: %s\n", message);
  std::exit(1);
}

class BarePostgres final : public BareClient {
 public:
  explicit BarePostgres(const sql::DatabaseAddress& address)
      : connection_(PQsetdbLogin(address.host.c_str(), nullptr, nullptr, nullptr,
                                 address.database.c_str(), address.user.c_str(), nullptr)) {
    if (PQstatus(connection_) != CONNECTION_OK) fail(PQerrorMessage(connection_));
  }
  ~BarePostgres() override { PQfinish(connection_); }
  BarePostgres(const BarePostgres&) = delete;
  BarePostgres& operator=(const BarePostgres&) = delete;

  std::size_t run(const std::string& sql) override {
    PGresult* const result =
        PQexecParams(connection_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail(PQerrorMessage(connection_));
    std::size_t bytes = 0;
    const int rows = PQntuples(result);
    const int columns = PQnfields(result);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        if (PQgetisnull(result, row, column) == 0) {
          bytes += static_cast<std::size_t>(PQgetlength(result, row, column));
        }
      }
    }
    PQclear(result);
    return bytes;
  }

 private:
  PGconn* connection_;
};

class BareMysql final : public BareClient {
 public:
  explicit BareMysql(const sql::DatabaseAddress& address) : connection_(mysql_init(nullptr)) {
    const char* socket = nullptr;
    for (const auto& [key, value] : address.options) {
      if (key == "socket") socket = value.c_str();
    }
    if (mysql_real_connect(connection_, "localhost", address.user.c_str(), nullptr,
                           address.database.c_str(), 0, socket, 0) == nullptr) {
      fail(mysql_error(connection_));
    }
  }
  ~BareMysql() override { mysql_close(connection_); }
  BareMysql(const BareMysql&) = delete;
  BareMysql& operator=(const BareMysql&) = delete;

  std::size_t run(const std::string& sql) override {
    if (mysql_real_query(connection_, sql.data(), sql.size()) != 0) fail(mysql_error(connection_));
    MYSQL_RES* const result = mysql_store_result(connection_);
    if (result == nullptr) fail(mysql_error(connection_));
    std::size_t bytes = 0;
    const unsigned columns = mysql_num_fields(result);
    while (MYSQL_ROW row = mysql_fetch_row(result)) {
      const unsigned long* const lengths = mysql_fetch_lengths(result);
      for (unsigned column = 0; column < columns; ++column) {
        if (row[column] != nullptr) bytes += lengths[column];
      }
    }
    mysql_free_result(result);
    return bytes;
  }

 private:
  MYSQL* connection_;
};

class BareSqlite final : public BareClient {
 public:
  explicit BareSqlite(const sql::DatabaseAddress& address) {
    if (sqlite3_open_v2(address.path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr) !=
        SQLITE_OK) {
      fail(sqlite3_errmsg(database_));
    }
  }
  ~BareSqlite() override { sqlite3_close(database_); }
  BareSqlite(const BareSqlite&) = delete;
  BareSqlite& operator=(const BareSqlite&) = delete;

  std::size_t run(const std::string& sql) override {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      fail(sqlite3_errmsg(database_));
    }
    std::size_t bytes = 0;
    const int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int column = 0; column < columns; ++column) {
        if (sqlite3_column_text(statement, column) != nullptr) {
          bytes += static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        }
      }
    }
    sqlite3_finalize(statement);
    return bytes;
  }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace

std::unique_ptr<BareClient> connect_bare(const sql::DatabaseAddress& address) {
  switch (address.dialect) {
    case SqlDialect::PostgreSql:
      return std::make_unique<BarePostgres>(address);
    case SqlDialect::MySql:
      return std::make_unique<BareMysql>(address);
    case SqlDialect::Sqlite:
      break;
  }
  return std::make_unique<BareSqlite>(address);
}

}  // namespace helve::bench
