// The TableWriter of a SQLite file: each transaction has a worker process of its own, which can be
// killed. sqlite_source.h reads the same file.
#pragma once

#include <memory>
#include <string>

#include "base/env.h"
#include "sources/sql/database_options.h"
#include "sources/sql/pool.h"
#include "sources/sql/sqlite/sqlite_client.h"
#include "sources/table_writer.h"

namespace helve::sql {

inline constexpr std::uint64_t kSqliteMemoryBytesMax = 512 * kMiB;  // of one worker

class SqliteWriter final : public TableWriter {
 public:
  // `options` and `env` must outlive it.
  SqliteWriter(const DatabaseOptions& options, std::string path, Env& env);

  // Over a connection that cannot write.
  Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                               const OpContext& context) const override;
  // Unavailable while another process writes, after five seconds at most.
  Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const override;

  // Rolls back what a process that ended within a transaction left beside the file: who only reads
  // cannot. False: there is nothing of the kind, or it could not be done.
  bool recover(const OpContext& context) const;

 private:
  Result<std::unique_ptr<SqliteClient>> start(sqlite::FileUse use) const;

  const DatabaseOptions& options_;
  std::string path_;
  Env& env_;
  mutable Pool<SqliteClient> examiners_;
};

}  // namespace helve::sql
