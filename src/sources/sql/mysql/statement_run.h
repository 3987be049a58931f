// One statement on one connection: prepared, executed, its rows received as they come.
// mysql_source.cc decides what happens around it.
#pragma once

#include <mysql.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/op_context.h"
#include "sources/sql/mysql/connection.h"
#include "sources/sql/mysql/watchdog.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

struct StatementOutcome {
  TableRun run;
  bool is_clean = false;  // the connection can be used again
  bool is_lost = false;   // the connection broke before anything came of it: worth another try
  unsigned code = 0;      // of the server's error
  std::optional<std::uint64_t> affected;  // of run_write(): rows
};

// `sql` is what is sent, `query` what the caller asked (its text is what positions are in), `watch`
// that of the whole call.
StatementOutcome run_statement(Connection& connection, std::string_view sql,
                               const TableQuery& query, std::string_view database, RowSink& sink,
                               Watchdog& dog, const Watchdog::Watch& watch,
                               const OpContext& context);

// A statement that changes something, with or without rows, which are received all. `sink` may be
// null.
StatementOutcome run_write(Connection& connection, std::string_view sql, const TableQuery& query,
                           std::string_view database, RowSink* sink, Watchdog& dog,
                           const Watchdog::Watch& watch, const OpContext& context);

// What a call that was ended from outside reports.
Error ended_error(const OpContext& context);

}  // namespace helve::sql::mysql
