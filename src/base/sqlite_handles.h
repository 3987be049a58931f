// What the adapters to SQLite share of its handles: who closes them, and what may follow a
// statement. Part of sqlite.h and sqlite_file.h.
#pragma once

#include <sqlite3.h>

#include <memory>

#include "base/result.h"

namespace helve::sqlite {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using DatabasePtr = std::unique_ptr<sqlite3, CloseDatabase>;
using StatementPtr = std::unique_ptr<sqlite3_stmt, FinishStatement>;

// White space, comments and semicolons may follow. Denied for another statement.
Result<void> check_tail(sqlite3* database, const char* tail, const char* end);

}  // namespace helve::sqlite
