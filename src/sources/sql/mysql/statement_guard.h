// Which statements of MySQL and MariaDB are sent at all: one at a time, that reads and does nothing
// else. It decides on words alone and refuses what it does not know; the rights of the user and the
// read-only transaction are the boundaries behind it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

enum class StatementKind : std::uint8_t {
  Query,    // SELECT, WITH, VALUES, TABLE
  Show,     // SHOW, DESCRIBE table
  Explain,  // EXPLAIN of a query
};

struct GuardedStatement {
  StatementKind kind = StatementKind::Query;
  std::string_view sql;  // a view of what was given, without the ';' at its end
};

// Denied for what does more than reading, InvalidInput for what is no statement, both with the
// position (document "sql"). REQUIRES of the session: utf8mb4, backslash escapes, "" for texts,
// IGNORE_SPACE (so that `count (` is the built-in function).
// `problem` tells of functions that are not known.
Result<GuardedStatement> check_statement(std::string_view sql, SqlProblem& problem);

}  // namespace helve::sql::mysql
