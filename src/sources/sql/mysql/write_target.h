// What a statement that passed write_guard.h would change, as the database has it: the table, its
// engine, triggers and cascades; and whether the rules of a policy allow it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/sql/mysql/write_guard.h"
#include "sources/table_writer.h"

namespace helve::sql::mysql {

struct WriteTarget {
  bool is_there = false;
  std::string schema;
  std::string name;
  std::string default_schema;  // of names without one
  bool is_view = false;
  std::string engine;
  bool is_transactional = false;
  bool sees_triggers = false;  // the user has the right to
  std::vector<std::string> triggers;
  struct Cascade {
    std::string schema;
    std::string table;
  };
  std::vector<Cascade> cascades;  // whose rows may follow, as far as the user may see them
  std::string rows;               // as the catalogue has it; empty: not known
};

// A text as SQL that the server reads as it is, whatever is in it.
std::string text_literal(std::string_view text);

// `database` is the default one. Blocks: under a watch only.
Result<WriteTarget> read_target(Connection& connection, const GuardedWrite& write,
                                std::string_view database);

// Denied: tables of the system; for data views and tables without transactions; with rules what
// they do not allow. NotFound with `problem` where the table is not there and should be.
Result<void> check_target(const GuardedWrite& write, const WriteTarget& target,
                          std::string_view sql, const TableRules* rules, SqlProblem& problem);

// Without the estimate.
WriteOutline outline_of(const GuardedWrite& write, const WriteTarget& target);

}  // namespace helve::sql::mysql
