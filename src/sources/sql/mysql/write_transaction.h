// A transaction that changes a MySQL or MariaDB database, on a connection of its own.
// mysql_writer.h begins it.
#pragma once

#include <memory>
#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/sql/mysql/statement_guard.h"
#include "sources/sql/mysql/statement_run.h"
#include "sources/sql/mysql/watchdog.h"
#include "sources/sql/mysql/write_guard.h"
#include "sources/sql/mysql/write_target.h"
#include "sources/sql/pool.h"
#include "sources/table_writer.h"

namespace helve::sql::mysql {

// What the source does for its writer. Thread-safe.
class ReadSide {
 public:
  virtual ~ReadSide() = default;
  // Whether a statement that passed the guard may run: stored functions, and what the rules let it
  // read.
  virtual Result<void> verify_statement(const TableQuery& query, const GuardedStatement& statement,
                                        const OpContext& context) const = 0;
  virtual Result<WriteTarget> look_at(const GuardedWrite& write,
                                      const OpContext& context) const = 0;
  // A session that may write, set up and checked.
  virtual Result<std::unique_ptr<Connection>> connect_to_write(const OpContext& context) const = 0;
  virtual Watchdog& dog() const = 0;
  virtual const std::string& database() const = 0;
};

// Makes a session one that may write: strict, without autocommit. Blocks: under a watch only.
Result<void> set_up_to_write(Connection& connection);

// `lease` has a connection, `reads` outlives it.
std::unique_ptr<WriteTransaction> make_transaction(Pool<Connection>::Lease lease,
                                                   const ReadSide& reads);

}  // namespace helve::sql::mysql
