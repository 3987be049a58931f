// What can be told of a SQLite statement by its words, before it is sent and after it failed.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"
#include "sources/write_shape.h"

namespace helve::sql {

// Denied for statements that do not read, InvalidInput for texts that read_sql_tokens() refuses.
// Everything else is for SQLite to say.
Result<void> check_sqlite_statement(std::string_view sql);

// The shape of a statement that may be tried at all: by its first words, and where it is plain
// which table it changes. Denied and InvalidInput as read_write_shape() has, for triggers,
// temporary and virtual tables and what keeps the file up (VACUUM, ANALYZE, REINDEX) too.
Result<WriteShape> sqlite_write_shape(std::string_view sql);

// What is to be compiled as a statement that reads before a view is made of it; empty: none is
// made.
std::string_view view_body(std::string_view sql);

// The statement behind EXPLAIN and EXPLAIN QUERY PLAN; itself where there is none.
std::string_view without_explain(std::string_view sql);

// What SQLite complains of; the error gets its place in the statement where it has none yet.
SqlProblem problem_of(Error& error, std::string_view sql);

}  // namespace helve::sql
