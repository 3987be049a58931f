// SqlOverHandles: SQL over the rows of handles, in a worker process that is killed when it does not
// keep its time. The worker's side is sql_worker.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/row_sink.h"
#include "toolkit/handles/row_table.h"

namespace helve::toolkit {

struct SqlTable {
  std::string name;
  RowTablePtr rows;
};

struct SqlLimits {
  std::uint64_t rows_max = 1'000'000;
  std::size_t bytes_max = std::size_t{256} << 20;           // of the answer
  std::size_t memory_bytes_max = std::size_t{1'024} << 20;  // of SQLite in the worker
};

// How a run ended. Rows that came before an error have been delivered: they are good.
struct SqlRun {
  std::optional<Error> error;
  bool has_more = false;  // than the rows_max that were delivered
  std::uint64_t rows = 0;
  std::vector<std::string> notes;
};

// Thread-safe.
class SqlOverHandles {
 public:
  // The program and its arguments; it must call run_sql_worker().
  SqlOverHandles(Env& env, std::vector<std::string> worker_command)
      : env_(env), worker_command_(std::move(worker_command)) {}

  // One statement that reads. Columns that are handed through keep their terms; what is computed
  // are literals with datatypes of XSD, or IRIs where a text is an IRI of the tables. Errors:
  // InvalidInput, NotFound (a table, a column), Denied, LimitExceeded (time, memory, size),
  // Unavailable (the worker). `known_tables` are for hints.
  SqlRun run(std::string_view sql, const std::vector<SqlTable>& tables,
             const std::vector<std::string>& known_tables, const SqlLimits& limits, RowSink& sink,
             const OpContext& context) const;

 private:
  Env& env_;
  const std::vector<std::string> worker_command_;
};

}  // namespace helve::toolkit
