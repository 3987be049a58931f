// Which statements of MySQL and MariaDB are sent at all: one at a time, that reads and does nothing
// else. It decides on words alone and refuses what it does not know; the rights of the user and the
// read-only transaction are the boundaries behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

enum class StatementKind : std::uint8_t {
  Query,    // SELECT, WITH, VALUES, TABLE
  Show,     // SHOW, DESCRIBE table
  Explain,  // EXPLAIN of a query
};

// A word before a parenthesis.
struct CalledName {
  std::string name;
  std::size_t begin = 0;  // a byte of the statement
  bool is_stored =
      false;  // a stored function that the rules allow, with its schema if it is written
};

struct GuardedStatement {
  StatementKind kind = StatementKind::Query;
  std::string_view sql;  // a view of what was given, without the ';' at its end
  std::vector<CalledName> calls;
  bool is_of_variables = false;  // SHOW VARIABLES: not all of its rows may be seen
};

// Denied for what does more than reading, InvalidInput for what is no statement, both with the
// position (document "sql"). REQUIRES of the session: utf8mb4, backslash escapes, "" for texts,
// IGNORE_SPACE (so that `count (` is the built-in function).
// `stored_functions` are those that the rules allow. `problem` tells of functions that are not
// known.
using StoredFunctions = std::span<const std::string>;
Result<GuardedStatement> check_statement(std::string_view sql, StoredFunctions stored_functions,
                                         SqlProblem& problem);

// A statement of any kind whose beginning write_guard.h has read: `placed` are the words that it
// found where the grammar has them, and the names before lists of columns, by the bytes where they
// begin, in order. All else is held to what reads are held to; `hint` says what is allowed.
struct PlacedWords {
  std::vector<std::size_t> words;
  std::vector<std::size_t> lists;
  std::string_view hint;
  StoredFunctions stored_functions;
};
Result<GuardedStatement> check_placed(std::string_view sql, const PlacedWords& placed,
                                      SqlProblem& problem);

// Stored functions of a server.
struct StoredNames {
  // Those of function_list.h: whether the server has its own function of that name is not known.
  std::vector<std::string_view> taken;
  std::vector<std::string> all;  // in capitals, sorted, with their schema too
};
// Denied, with the position, where `statement` calls one of the taken names, or one that is no
// stored function of the server.
Result<void> check_calls(const GuardedStatement& statement, const StoredNames& stored);

// Denied, with the position, where `statement` names another of the server's databases.
Result<void> check_databases(const GuardedStatement& statement,
                             const std::vector<std::string>& others);

}  // namespace helve::sql::mysql
