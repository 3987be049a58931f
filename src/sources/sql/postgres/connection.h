// One connection to PostgreSQL in pipeline mode: statements are queued, sent together and answered
// in order. Nothing in it blocks beyond the deadline of its caller.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/sql/postgres/own_names.h"
#include "sources/sql/postgres/pg_rows.h"
#include "sources/sql/postgres/pq_library.h"
#include "sources/sql/postgres/server_error.h"
#include "sources/sql/postgres/values.h"
#include "sources/table_source.h"

namespace helve::sql {

struct FreeResult {
  void operator()(PGresult* result) const { pq().clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, FreeResult>;

// A text as a parameter.
inline SqlValue text_value(std::string_view text) {
  return rdf::Term(rdf::TermView::literal(text));
}

// Sets when the server gives up by itself: a little before the caller does.
std::string timeout_statement(const OpContext& context);

// Not thread-safe.
class Connection {
 public:
  // Unavailable, Denied; by the context LimitExceeded and Cancelled.
  static Result<std::unique_ptr<Connection>> open(const DatabaseOptions& options, Env& env,
                                                  const OpContext& context);
  // The same without a look at the catalogue: for statements of our own, with values that are read
  // as texts. types() and own_names() know nothing then.
  static Result<std::unique_ptr<Connection>> open_bare(const DatabaseOptions& options, Env& env,
                                                       const OpContext& context);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // False when the server has gone in the meantime. Does not wait.
  bool is_alive();

  // Queues a statement. InvalidInput for parameters that cannot be sent.
  Result<void> queue(const std::string& statement, const std::vector<SqlValue>& parameters = {},
                     bool has_types = false);
  // Queues that the server reads a statement once, to be run under a name that is new to it.
  Result<void> queue_prepare(const std::string& name, const std::string& statement);
  // Queues such a statement; none is NULL.
  Result<void> queue_prepared(const std::string& name,
                              const std::vector<std::optional<std::string>>& parameters);
  // Ends what was queued and sends it.
  Result<void> send();
  // The next result; null at the end of each statement. Unavailable when the connection is lost.
  Result<ResultPtr> next(const OpContext& context);
  // The statement whose results come next gives them row by row.
  void read_by_rows() { pq().set_single_row_mode(connection_); }
  // Reads and drops results until the end of what was sent.
  Result<void> skip_to_end(const OpContext& context);
  // Bytes that may come until the next result; beyond, next() answers LimitExceeded and
  // has_overflowed() is true. libpq reads as long as something is there: a row of a server that is
  // fast enough may come whole all the same.
  void limit_receiving(std::size_t bytes_max);
  bool has_overflowed() const { return has_overflowed_; }

  // Undoes and forgets everything; answered when the connection is used next, by settle().
  Result<void> clean_up();
  Result<void> settle(const OpContext& context);

  // Asks the server to stop what it does. Does not wait; the connection is of no use after.
  void cancel();

  // Several statements of ours in one read-only transaction, each with its rows.
  Result<std::vector<ResultPtr>> query(const std::vector<std::string>& statements,
                                       const std::vector<SqlValue>& parameters,
                                       const OpContext& context);

  // What the database has of its own, read anew when it is older than `age_max`. Statements have
  // its search path from then on.
  Result<std::shared_ptr<const OwnNames>> own_names(MonotonicTime now, Duration age_max,
                                                    const OpContext& context);

  const TypeTable& types() const { return types_; }
  int server_version() const { return pq().server_version(connection_); }
  std::string server_name() const;  // "PostgreSQL 15.3"
  std::vector<std::string> take_notices();

  // The rules that were verified on this connection last, and when.
  std::shared_ptr<const TableRules> verified;
  MonotonicTime verified_at{};

 private:
  explicit Connection(PGconn* connection);
  Error lost(std::string_view what) const;
  Result<void> read_types(MonotonicTime now, const OpContext& context);
  void add_types(const PgRows& rows);
  Result<void> read_own_names(MonotonicTime now, const OpContext& context);
  Result<void> queue_search_path();
  static void take_notice(void* self, const PGresult* result);

  PGconn* connection_;
  TypeTable types_;
  std::shared_ptr<const OwnNames> own_names_;
  MonotonicTime own_names_read_{};
  std::string search_path_;  // of statements; empty: as the connection was made
  std::vector<std::string> notices_;
  std::size_t unsettled_ = 0;  // clean-ups that were sent and not answered
  std::size_t received_ = 0;
  std::size_t receive_max_ = 0;  // 0: any
  bool has_overflowed_ = false;
};

}  // namespace helve::sql
