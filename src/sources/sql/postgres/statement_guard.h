// The guard before PostgreSQL: a statement is read by PostgreSQL's own grammar, and only what reads
// passes. What it may call is in allowed_functions.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql {

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

  // Names behind a dot, which may be columns, or functions in another notation: t.name, (x).name.
  // May be null.
  std::shared_ptr<const std::vector<std::string>> attributes;

  std::string_view text_of(std::string_view sql) const { return sql.substr(begin, size); }
  std::string_view inner_of(std::string_view sql) const {
    return sql.substr(inner_begin, begin + size - inner_begin);
  }
};

// Errors have their place in document "sql": InvalidInput (no statement, or several, or none by the
// grammar), Denied (not a read, or a function that is not on the list), LimitExceeded (size,
// depth). `problem` is set with an error. Thread-safe.
Result<GuardedStatement> guard_statement(std::string_view sql, SqlProblem& problem);

}  // namespace helve::sql
