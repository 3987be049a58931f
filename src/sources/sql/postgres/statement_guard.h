// The guard before PostgreSQL: a statement is read by PostgreSQL's own grammar, and only what reads
// passes. What it may call is in allowed_functions.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql {

// A name that the guard lets pass, although a database may have a meaning of its own for it:
// own_names.h decides.
struct UsedName {
  enum class Kind : std::uint8_t {
    Function,     // called without a schema
    Column,       // t.name, which may call a function of rows
    Part,         // (x).name, or x.name of a function in FROM, which may call one of any values
    Operator,     // without a schema
    Type,         // "name" or "schema.name"
    SystemTable,  // of pg_catalog
    // A function or type of pg_catalog that tells of objects by their numbers
    // (allowed_functions.h).
    ObjectLookup,
    UnlistedFunction,  // "name" or "schema.name", of none of the lists
  };
  Kind kind = Kind::Function;
  std::string name;
  std::size_t begin = 0;  // a byte of the text, near the name
};

struct GuardedStatement {
  enum class Kind : std::uint8_t {
    Rows,     // SELECT, VALUES, TABLE, WITH: for a cursor
    Explain,  // without ANALYZE
    Show,     // of a harmless setting
  };
  Kind kind = Kind::Rows;
  std::size_t begin = 0;  // of the statement in the text, in bytes; the semicolon is outside
  std::size_t size = 0;
  std::size_t parameters = 0;   // the highest $n
  std::size_t inner_begin = 0;  // of what EXPLAIN explains; otherwise `begin`

  std::shared_ptr<const std::vector<UsedName>> names;  // each once; null: none

  std::string_view text_of(std::string_view sql) const { return sql.substr(begin, size); }
  std::string_view inner_of(std::string_view sql) const {
    return sql.substr(inner_begin, begin + size - inner_begin);
  }
};

// Errors have their place in document "sql": InvalidInput (no statement, or several, or none by the
// grammar), Denied (not a read, or a function of PostgreSQL that is not on the list), LimitExceeded
// (size, depth). Other functions are among the names: statement_check.h asks the database about
// them. `problem` is set with an error. Thread-safe.
Result<GuardedStatement> guard_statement(std::string_view sql, SqlProblem& problem);
// Denied, without a place. Sets `problem`.
Error unlisted_function_error(std::string_view name, SqlProblem& problem);

// Statements of other kinds, which write_guard.h looks at further: their expressions and what they
// read are held to the same.
struct GuardExtension {
  std::span<const std::string_view> statements;  // kinds of nodes, of the statement alone
  std::span<const std::string_view> nodes;       // within it, beyond those of reads
  std::span<const std::string_view> functions;   // beyond those of reads
  std::string_view hint;                         // what is allowed
};
struct GuardedTree {
  GuardedStatement statement;
  JsonValue tree;  // {"InsertStmt": {...}}
};
Result<GuardedTree> guard_tree(std::string_view sql, const GuardExtension& extension,
                               SqlProblem& problem);

}  // namespace helve::sql
