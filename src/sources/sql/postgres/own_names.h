// What a database has of its own that a statement could run without calling it by a name that
// statement_guard.h knows: functions that share a name with an allowed one, operators, types.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "sources/sql/postgres/pg_rows.h"
#include "sources/sql/postgres/statement_guard.h"

namespace helve::sql {

// "Own" are functions that were made in the database, but for those of extensions that are not
// volatile and have the rights of who calls them.
struct OwnNames {
  using Names = std::unordered_set<std::string>;

  Names functions;        // found without a schema
  Names row_functions;    // those that t.name could call
  Names value_functions;  // those that (x).name could call, beside row_functions
  // Found without a schema: with names of their own, or volatile.
  Names operators;
  // Which run a volatile function of their own when a value is made: with their schema, and without
  // where they are found so.
  Names types;
  bool sees_paths = false;  // in pg_settings
  // Of statements, as a list of SQL: without the schemas that have operators with names of
  // PostgreSQL's own, which would be used in their place for some types. Empty: the path as it is.
  std::string search_path;
};

// Gives the rows that make_own_names() takes: read by the connection that runs the statements, with
// the search path that it was made with.
std::string own_names_sql();
Result<std::shared_ptr<const OwnNames>> make_own_names(const PgRows& rows);

// Denied, with the place in `sql`, where the statement could run something of `own` that is not
// among the functions that a policy allows.
Result<void> check_own_names(const GuardedStatement& statement, std::string_view sql,
                             const OwnNames& own,
                             const std::vector<std::string>& allowed_functions);

}  // namespace helve::sql
