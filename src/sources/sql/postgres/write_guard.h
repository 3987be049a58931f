// The guard before what changes a PostgreSQL database: one statement by PostgreSQL's own grammar,
// which changes one table or defines one thing. statement_guard.h holds what it reads and computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/table_writer.h"

namespace helve::sql {

// A table as the statement names it.
struct WrittenName {
  std::string schema;  // empty: none
  std::string name;
  std::size_t begin = 0;  // a byte of the statement, near it
};

struct GuardedWrite {
  enum class Target : std::uint8_t {
    Table,  // or a view: what is there already
    New,    // made by the statement, or put in the place of a view
    Index,
    Schema,
  };
  GuardedStatement statement;
  WriteKind kind = WriteKind::Insert;
  std::string verb;
  Target target_kind = Target::Table;
  WrittenName target;
  std::vector<std::string> columns;  // that are set or listed
  bool sets_all_columns = false;     // there is an INSERT without a list
  bool updates = false;              // rows that are there: ON CONFLICT and MERGE, too
  bool deletes = false;
  bool inserts = false;
  bool steps_sequence = false;  // by nextval()
  bool has_cascade = false;     // of DROP and TRUNCATE
  bool renames = false;
  bool takes_rows = false;              // of a definition: rows of the table go or are written anew
  std::vector<WrittenName> references;  // of a definition: by foreign keys
};

// Denied (with the place in document "sql"), InvalidInput, LimitExceeded as guard_statement().
Result<GuardedWrite> guard_write(std::string_view sql, SqlProblem& problem);

}  // namespace helve::sql
