// Rows that a transaction has changed, table by table, as the server counts them: by the statement
// itself, triggers, rules and foreign keys, on tables that the user may not see too.
// write_transaction.cc holds two of these counts against each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/postgres/connection.h"

namespace helve::sql {

struct ChangedTable {
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
  bool is_in_path = false;
  // Of a partition the table that it is a part of, by all steps; otherwise the same again.
  std::string root_schema;
  std::string root_name;
  bool is_root_in_path = false;
  std::uint64_t rows = 0;
};

struct ChangeCounts {
  bool are_kept = false;  // track_counts is on
  // A table is locked for nobody else to see: what truncates it is not among the counts.
  bool has_locked_table = false;
  std::vector<ChangedTable> tables;  // rows that a rollback took back are counted on
};

// Two statements without parameters, and what came of them.
std::vector<std::string> count_statements();
Result<ChangeCounts> read_counts(const std::vector<ResultPtr>& results);

// What came between two counts: tables with the rows that were changed meanwhile.
std::vector<ChangedTable> changed_between(const ChangeCounts& before, const ChangeCounts& after);
std::uint64_t rows_of(const std::vector<ChangedTable>& tables);

}  // namespace helve::sql
