// What a guarded statement may use of the database that it is sent to. statement_guard.h has looked
// at its text alone; here the catalogue and the rules of the caller decide about names.
#pragma once

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/table_source.h"

namespace helve::sql {

// Of what was read of the catalogue.
inline constexpr Duration kCatalogueAge = std::chrono::seconds(60);

// Denied where the statement could run a function, an operator or a type of the database's own that
// is neither of an extension that only computes nor allowed by the rules, and where it looks up
// what the rules hide. `problem` tells of unlisted functions.
Result<void> check_statement_names(Connection& connection, const GuardedStatement& statement,
                                   const TableQuery& query, MonotonicTime now, SqlProblem& problem,
                                   const OpContext& context);

}  // namespace helve::sql
