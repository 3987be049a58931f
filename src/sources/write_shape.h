// The shape of a statement that changes data, by its words: which table it changes, which columns
// it sets, which rows it takes. Strict: one table, named where the grammar has it; what has another
// shape is refused. Guards hold it against what the database says; tools make snapshots by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql_tokens.h"
#include "sources/table_writer.h"

namespace helve {

struct WriteSpan {
  std::size_t begin = 0;  // bytes of the statement
  std::size_t end = 0;

  bool is_empty() const { return begin >= end; }
  std::string_view of(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

struct WriteShape {
  WriteKind kind = WriteKind::Insert;
  std::string verb;    // in capitals: "INSERT", "CREATE TABLE"
  std::string schema;  // marks removed; empty: none is written
  std::string table;   // of definitions: what they are about; empty where that is not a table
  WriteSpan target;    // the name as it is written, with its alias
  std::string alias;   // empty: none
  // The rows that an UPDATE or DELETE takes are SELECT * FROM `target` WHERE `where`: it names no
  // other table beside its own, and neither ORDER BY nor LIMIT. Never true of the others.
  bool is_plain = false;
  WriteSpan where;                    // without the word; empty: all rows
  std::size_t parameters_before = 0;  // marks (?) left of `where`
  std::vector<std::string> columns;   // that are set or listed; empty: none are named
  std::optional<std::uint64_t> rows;  // of INSERT ... VALUES: how many
  // Of INSERT ... SELECT and CREATE TABLE ... AS: what gives the rows, each of which is written.
  // Empty where a WITH stands before the statement, or rows may be passed over.
  WriteSpan query;
  std::size_t parameters_before_query = 0;
  bool has_returning = false;
};

// Denied for what does not change data or definitions; InvalidInput for several statements, for
// texts that read_sql_tokens() refuses, and for statements that change more than one table or one
// that is not plainly named.
Result<WriteShape> read_write_shape(std::string_view sql, SqlDialect dialect);

}  // namespace helve
