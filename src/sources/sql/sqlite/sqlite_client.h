// The other side of a SQLite worker: starts it, asks it, and ends it. sqlite_worker.h answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "sources/row_sink.h"
#include "sources/sql/sqlite/sqlite_protocol.h"

namespace helve::sql {

struct SqliteAnswer {
  std::optional<Error> error;
  bool has_more = false;
  std::uint64_t rows = 0;  // delivered
  std::vector<std::string> column_types;
  std::vector<std::string> notes;
  bool is_whole = false;                 // the worker can be asked again
  bool has_begun = false;                // some of the answer came
  std::optional<SqliteChanged> changed;  // of all but Run, where there is no error
  bool is_over = false;                  // the worker rolled the transaction back
};

// A worker process with a file. It is killed on destruction, whatever it does. Not thread-safe.
class SqliteClient {
 public:
  // The file is opened by the first statement.
  static Result<std::unique_ptr<SqliteClient>> start(const std::vector<std::string>& command,
                                                     const SqliteOpen& open, Env& env);

  // Ends by the cancellation of the context, and a tenth of a second after its deadline at most; a
  // client whose answer is not whole must not be asked again. The time of `run` is taken from the
  // context.
  SqliteAnswer ask(SqliteRun run, RowSink& sink, const OpContext& context);

 private:
  SqliteClient(std::unique_ptr<WorkerProcess> process, const Clock& clock)
      : process_(std::move(process)), clock_(clock) {}

  Result<void> converse(const SqliteRun& run, RowSink& sink, const OpContext& context,
                        SqliteAnswer& answer);
  Error ended_early(const OpContext& context);

  std::unique_ptr<WorkerProcess> process_;
  const Clock& clock_;
  std::string request_;        // with what opens the file, for the first one
  std::string received_;       // and not yet read
  std::string complaint_;      // of the standard error
  std::size_t out_bytes_ = 0;  // over its life
  std::size_t err_bytes_ = 0;
};

}  // namespace helve::sql
