// What a statement that passed write_guard.h would change, as the database has it: the table, what
// runs beside it (triggers, rules, cascades), and whether the rules of a policy allow it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/change_counts.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/write_guard.h"
#include "sources/table_writer.h"

namespace helve::sql {

// Runs statements of ours that read, each with the same parameters, and gives the rows of each.
using AskDatabase = std::function<Result<std::vector<ResultPtr>>(
    const std::vector<std::string>& statements, const std::vector<SqlValue>& parameters)>;

struct WriteTarget {
  bool is_there = false;
  std::string schema;
  std::string name;  // of an index: that of its table
  char kind = 'r';   // pg_class.relkind
  bool is_in_path = false;
  double rows = -1;  // as the catalogue has it; below 0: not known

  struct Effect {
    enum class Kind : char {
      Trigger = 't',
      Rule = 'r',
      Function = 'f',  // called by a default, a check or a policy for rows
      Cascade = 'c',
      Part = 'p',   // a partition or a table that inherits
      Event = 'e',  // a trigger of definitions
      Lost = 'l',   // CASCADE takes its rows, or some of its columns
    };
    Kind kind = Kind::Trigger;
    std::string schema;  // of the table it is at
    std::string table;
    std::string name;
    bool is_in_path = false;
  };
  std::vector<Effect> effects;
};

// NotFound with `problem` where the table is not there and should be.
Result<WriteTarget> read_target(const GuardedWrite& write, std::string_view sql,
                                const AskDatabase& ask, SqlProblem& problem);

// Denied: catalogues, tables of other servers, sequences; with rules what they do not allow, views,
// and whatever cannot be told.
Result<void> check_target(const GuardedWrite& write, const WriteTarget& target,
                          std::string_view sql, const TableRules* rules);

// Denied where a statement that ran has changed tables that the rules do not allow: in words that
// do not tell which.
Result<void> check_changed(const GuardedWrite& write, const WriteTarget& target,
                           std::string_view sql, const TableRules* rules,
                           const std::vector<ChangedTable>& changed);

// Whether something runs besides whose rows only the counts of the server tell.
bool has_effects(const WriteTarget& target);
// Whether a trigger or function may change rows later, at the commit.
bool has_code(const WriteTarget& target);

// Without the estimate.
WriteOutline outline_of(const GuardedWrite& write, const WriteTarget& target);

}  // namespace helve::sql
