// Running one guarded statement on a connection: a cursor in a read-only transaction, read in
// batches into a RowSink.
#pragma once

#include "base/op_context.h"
#include "sources/row_sink.h"
#include "sources/sql/postgres/connection.h"
#include "sources/sql/postgres/statement_guard.h"
#include "sources/table_source.h"

namespace helve::sql {

struct StatementForm {
  GuardedStatement statement;
  std::string_view prefix;  // before it, in place of the cursor's: "EXPLAIN ..."; of ASCII
  bool has_types = false;   // parameters go with the types of their terms
};

// How it went, beyond what the caller is told.
struct StatementOutcome {
  TableRun run;
  bool is_reusable = false;  // the connection, for others
  bool was_lost = false;     // before anything was delivered: another connection may do
  bool wants_types = false;  // of parameters, which the server could not infer
};

StatementOutcome run_statement(Connection& connection, const TableQuery& query,
                               const StatementForm& form, RowSink& sink, const OpContext& context);

}  // namespace helve::sql
