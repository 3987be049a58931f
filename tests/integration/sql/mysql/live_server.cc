#include "tests/integration/sql/mysql/live_server.h"

#include <mysql.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "base/env.h"
#include "sources/sql/mysql/mysql_source.h"
#include "tests/support/database_server.h"

namespace helve::sql {

namespace {

constexpr const char* kSchema = R"sql(
CREATE DATABASE shop;
CREATE DATABASE other;
USE shop;
CREATE TABLE customer (
  id INT PRIMARY KEY AUTO_INCREMENT,
  name VARCHAR(45) NOT NULL DEFAULT 'nobody' COMMENT 'as on the invoice',
  email VARCHAR(80),
  credit DECIMAL(10,2) DEFAULT 0.50 CHECK (credit >= 0),
  doubled DECIMAL(12,2) GENERATED ALWAYS AS (credit * 2) STORED,
  UNIQUE KEY by_name (name, credit)
) COMMENT 'who buys';
CREATE TABLE invoice (
  id INT PRIMARY KEY,
  customer_id INT NOT NULL,
  CONSTRAINT of_customer FOREIGN KEY (customer_id) REFERENCES customer (id)
);
CREATE VIEW rich AS SELECT id, name FROM customer WHERE credit > 1;
CREATE SEQUENCE numbers;
CREATE TABLE sample (
  t TINYINT(1), u BIGINT UNSIGNED, b BIT(5), dc DECIMAL(20,5), f FLOAT, db DOUBLE, dt DATE,
  dtm DATETIME(3), ts TIMESTAMP NULL, tm TIME, y YEAR, c CHAR(3), tx TEXT, bn BINARY(3), bl BLOB,
  e ENUM('a','b'), s SET('x','y'), j JSON, uu UUID);
SET time_zone = '+00:00', sql_mode = '';
INSERT INTO sample VALUES (1, 18446744073709551615, b'10101', 12345.60000, 0.1, 1e20, '2024-02-29',
  '2024-02-29 12:30:00.250', '2024-02-29 12:30:00', '23:59:59', 2024, 'abc', 'grün', x'00FF10',
  x'CAFE', 'b', 'x,y', '{"a": 1}', '123e4567-e89b-12d3-a456-426614174000');
INSERT INTO sample (dt, dtm, tm) VALUES ('0000-00-00', '0000-00-00 00:00:00', '-30:00:00');
INSERT INTO customer (name, email, credit) VALUES ('Ada', 'a@x', 10), ('Bob', NULL, 0), ('Cyd', 'c@x', 2);
INSERT INTO invoice VALUES (1, 1), (2, 1), (3, 3);
CREATE TABLE number (n INT PRIMARY KEY, label VARCHAR(40));
INSERT INTO number SELECT seq, CONCAT('number ', seq) FROM seq_1_to_10000;
CREATE VIEW nap AS SELECT SLEEP(60) AS x;
CREATE VIEW naps AS SELECT n, SLEEP(0.05) AS x FROM number;
CREATE VIEW late AS SELECT n, SLEEP(n > 100) AS x FROM number;
CREATE TABLE other.stock (id INT);
CREATE USER reader@localhost IDENTIFIED BY 'pass word';
CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'pass word';
GRANT SELECT, SHOW VIEW ON shop.* TO reader@localhost;
GRANT SELECT, SHOW VIEW ON shop.* TO reader@'127.0.0.1';
CREATE USER narrow@localhost IDENTIFIED BY 'pass word';
GRANT SELECT (id, name) ON shop.customer TO narrow@localhost;
GRANT SELECT ON shop.invoice TO narrow@localhost;
CREATE USER writer@localhost IDENTIFIED BY 'pass word';
GRANT SELECT, INSERT, EXECUTE ON shop.* TO writer@localhost;
GRANT FILE ON *.* TO writer@localhost;
CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1;
)sql";

class Running {
 public:
  Running() : server_{database_.socket(), database_.port(), database_.pid()} {
    if (database_.is_running()) server_.run(kSchema);
  }
  const LiveServer* server() const { return database_.is_running() ? &server_ : nullptr; }

 private:
  helve::testing::DatabaseServer database_{"mysql"};
  LiveServer server_;
};

MYSQL* connect_as_root(const std::string& socket) {
  MYSQL* const root = mysql_init(nullptr);
  mysql_options(root, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  HELVE_CHECK(mysql_real_connect(root, nullptr, "root", nullptr, nullptr, 0, socket.c_str(),
                                 CLIENT_MULTI_STATEMENTS) != nullptr);
  return root;
}

}  // namespace

const LiveServer* LiveServer::get() {
  static const Running running;
  return running.server();
}

void LiveServer::run(const std::string& statements) const {
  MYSQL* const root = connect_as_root(socket);
  HELVE_CHECK(mysql_real_query(root, statements.data(), statements.size()) == 0);
  int next = 0;
  do {
    if (MYSQL_RES* const result = mysql_store_result(root)) mysql_free_result(result);
    next = mysql_next_result(root);
    if (next > 0) std::fprintf(stderr, "%s\n", mysql_error(root));
  } while (next == 0);
  HELVE_CHECK(next == -1);
  mysql_close(root);
}

std::string LiveServer::ask(const std::string& sql) const {
  MYSQL* const root = connect_as_root(socket);
  HELVE_CHECK(mysql_real_query(root, sql.data(), sql.size()) == 0);
  MYSQL_RES* const result = mysql_store_result(root);
  HELVE_CHECK(result != nullptr);
  const MYSQL_ROW row = mysql_fetch_row(result);
  std::string value = row != nullptr && row[0] != nullptr ? row[0] : "";
  mysql_free_result(result);
  mysql_close(root);
  return value;
}

std::shared_ptr<const TableSource> LiveServer::open(std::string_view user,
                                                    std::size_t connections_max, bool by_tcp,
                                                    const char* databases) const {
  DatabaseOptions options;
  options.name = "shop";
  options.connections_max = connections_max;
  options.address.dialect = SqlDialect::MySql;
  options.address.user = user;
  options.address.database = "shop";
  if (databases != nullptr) options.address.options.emplace_back("databases", databases);
  if (by_tcp) {
    options.address.host = "127.0.0.1";
    options.address.port = static_cast<std::uint16_t>(port);
  } else {
    options.address.host = socket;
  }
  if (user != "root") options.address.password_reference = "env:SHOP_PASSWORD";
  options.read_variable = [](const char*) { return "pass word"; };
  return open_mysql(std::move(options), real_env()).value();
}

std::string KeptRows::shown(std::size_t row, std::size_t column) const {
  const auto& cell = rows.at(row).at(column);
  if (!cell) return "NULL";
  if (cell->datatype.empty()) return cell->value;
  return cell->value + " " + cell->datatype.substr(cell->datatype.find('#') + 1);
}

OpContext within(Duration time) {
  OpContext context;
  context.deadline = Deadline(real_clock(), time);
  return context;
}

TableRun run(const TableSource& source, std::string sql, KeptRows& rows, const OpContext& context) {
  TableQuery query;
  query.sql = std::move(sql);
  return source.run(query, rows, context);
}

}  // namespace helve::sql
