// A transaction that changes a PostgreSQL database, on a connection of its own. postgres_writer.h
// begins it.
#pragma once

#include <functional>
#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/pool.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/table_writer.h"

namespace helve::sql {

// Whether a statement that passed the guard may run here: what the database has of its own, and
// what the rules let it read. Decided on the connections that read.
using VerifyStatement =
    std::function<Result<void>(const TableQuery& query, const GuardedStatement& statement,
                               SqlProblem& problem, const OpContext& context)>;

// InvalidInput where there are not as many parameters as the statement has.
Result<void> check_parameter_count(std::size_t given, const GuardedStatement& statement);

// `lease` has a connection. Begins with the first statement.
std::unique_ptr<WriteTransaction> make_transaction(Pool<Connection>::Lease lease,
                                                   VerifyStatement verify);

}  // namespace helve::sql
