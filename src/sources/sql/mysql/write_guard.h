// Which statements that change a MySQL or MariaDB database are sent: one at a time, that changes
// one table, or one definition of a list. By words, as statement_guard.h, which holds all
// expressions and queries within.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/mysql/statement_guard.h"
#include "sources/table_writer.h"
#include "sources/write_shape.h"

namespace helve::sql::mysql {

struct GuardedWrite {
  GuardedStatement statement;  // views of what was given
  WriteShape shape;
  bool sets_all_columns = false;  // an INSERT without a list
  bool updates = false;           // rows that are there: ON DUPLICATE KEY UPDATE, too
  bool deletes = false;           // REPLACE too
  // Of a definition: "other" or "schema.other", which foreign keys refer to or that is renamed to.
  std::vector<std::string> references;
  bool takes_rows = false;  // of a definition: rows of the table go or are written anew
};

// Denied and InvalidInput with the position (document "sql"). REQUIRES of the session what
// check_statement() requires.
Result<GuardedWrite> guard_write(std::string_view sql, StoredFunctions stored_functions,
                                 SqlProblem& problem);

}  // namespace helve::sql::mysql
