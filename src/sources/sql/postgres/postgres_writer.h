// The TableWriter of PostgreSQL: looks at statements on the connections of its source that read,
// and has a few connections of its own for transactions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/statement_run.h"
#include "sources/table_writer.h"

namespace helve::sql {

// What the source does for its writer, in transactions that cannot change anything. Thread-safe.
class ReadSide {
 public:
  virtual ~ReadSide() = default;
  // Whether a statement that passed the guard may run: what the database has of its own, and what
  // the rules of the query let it read.
  virtual Result<void> verify_statement(const TableQuery& query, const GuardedStatement& statement,
                                        SqlProblem& problem, const OpContext& context) const = 0;
  virtual TableRun run_guarded(const TableQuery& query, StatementForm form, RowSink& sink,
                               const OpContext& context) const = 0;
  // Questions of ours about the catalogue, with the rows of each.
  virtual Result<std::vector<ResultPtr>> ask(const std::vector<std::string>& statements,
                                             const std::vector<SqlValue>& parameters,
                                             const OpContext& context) const = 0;
};

// `reads` and `env` must outlive it.
std::unique_ptr<const TableWriter> make_postgres_writer(DatabaseOptions options,
                                                        const ReadSide& reads, Env& env);

}  // namespace helve::sql
