#include "sources/sql/mysql/statement_run.h"

#include <fmt/format.h>
#include <mysqld_error.h>

#include <algorithm>
#include <utility>

#include "base/paced_check.h"
#include "base/wait_fd.h"
#include "sources/sql/mysql/client_library.h"
#include "sources/sql/mysql/column_value.h"
#include "sources/sql/mysql/parameters.h"
#include "sources/sql/mysql/server_error.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kNotesMax = 20;
// Rows beyond the last that was wanted are received and dropped, for that is cheaper than to
// connect anew; beyond this the connection is given up.
constexpr std::size_t kDrainRowsMax = 1'000;
constexpr Duration kDrainTime = std::chrono::milliseconds(30);

constexpr unsigned kStateChanged = 0x4000;         // SERVER_SESSION_STATE_CHANGED of the protocol
constexpr unsigned long kNoEndPacket = 1UL << 24;  // CLIENT_DEPRECATE_EOF of the protocol

struct CloseStatement {
  void operator()(MYSQL_STMT* statement) const noexcept { client().stmt_close(statement); }
};
struct FreeResult {
  void operator()(MYSQL_RES* result) const noexcept { client().free_result(result); }
};

class StatementRun {
 public:
  StatementRun(Connection& connection, const TableQuery& query, std::string_view database,
               RowSink& sink, Watchdog& dog, const Watchdog::Watch& watch, const OpContext& context)
      : connection_(connection),
        query_(query),
        database_(database),
        sink_(sink),
        dog_(dog),
        watch_(watch),
        context_(context),
        statement_(client().stmt_init(connection.handle())) {}

  StatementOutcome run(std::string_view sql, bool is_write = false) {
    is_write_ = is_write;
    connection_.is_certain = false;
    if (prepare(sql) && execute()) {
      if (client().stmt_field_count(statement_.get()) == 0) {
        finish_write();
      } else {
        receive();
      }
    }
    // What is left of the rows would be waited for when the statement is closed.
    if (!out_.is_clean) shut_down_socket(connection_.socket());
    statement_.reset();
    if (watch_.has_fired()) out_.is_clean = false;
    return std::move(out_);
  }

 private:
  bool fail(Error error, SqlProblem problem = {}) {
    out_.run.error = std::move(error);
    out_.run.problem = std::move(problem);
    return false;
  }

  // The library's last error; `is_early`: before anything was received.
  bool fail_by_server(bool is_early) {
    unsigned code = client().stmt_error_code(statement_.get());
    std::string_view message = client().stmt_error(statement_.get());
    // Of an error that comes in the place of rows the library may tell at the connection alone.
    if (message.empty() && client().error_code(connection_.handle()) != 0) {
      code = client().error_code(connection_.handle());
      message = client().error(connection_.handle());
    }
    out_.code = code;
    out_.is_lost = is_early && is_lost_connection(code) && !watch_.has_fired();
    // Errors of the server leave the connection in order, those of the library do not.
    out_.is_clean = code < 2000 || code >= 3000;
    if (is_lost_connection(code)) out_.is_clean = false;
    if (watch_.has_fired()) return fail(ended_error(context_));
    ServerProblem problem = server_error(code, message, query_.sql, database_);
    return fail(std::move(problem.error), std::move(problem.problem));
  }

  bool prepare(std::string_view sql) {
    if (statement_ == nullptr) {
      return fail({ErrorCode::Unavailable, "there is no memory for a statement"});
    }
    if (client().stmt_prepare(statement_.get(), sql.data(), sql.size()) != 0) {
      return fail_by_server(true);
    }
    out_.is_clean = true;
    if (!is_write_ && client().stmt_field_count(statement_.get()) == 0) {
      return fail({ErrorCode::Denied, "the statement gives no rows: it is not allowed",
                   "only statements that read are: SELECT, SHOW, DESCRIBE, EXPLAIN"});
    }
    const std::size_t wanted = client().stmt_param_count(statement_.get());
    if (wanted != query_.parameters.size()) {
      return fail({ErrorCode::InvalidInput,
                   fmt::format("the statement has {} '?' and {} parameters", wanted,
                               query_.parameters.size()),
                   "give one parameter for each ?"});
    }
    return true;
  }

  bool execute() {
    Parameters parameters(query_.parameters);
    if (!parameters.bind(statement_.get()) || client().stmt_execute(statement_.get()) != 0) {
      return fail_by_server(true);
    }
    return true;
  }

  void receive() {
    out_.is_clean = false;  // there are rows on their way
    const std::unique_ptr<MYSQL_RES, FreeResult> fields(
        client().stmt_result_metadata(statement_.get()));
    if (fields == nullptr) {
      fail_by_server(false);
      return;
    }
    RowReader reader(client().fetch_fields(fields.get()), client().num_fields(fields.get()));
    out_.run.column_types = reader.type_names();
    if (auto begun = sink_.columns(reader.names()); !begun) {
      fail(std::move(begun).error());
      return;
    }
    if (!reader.bind(statement_.get())) {
      fail_by_server(false);
      return;
    }
    if (deliver(reader)) finish(reader);
  }

  enum class Fetched : std::uint8_t { Row, End, Failed };
  Fetched fetch() {
    const int status = client().stmt_fetch(statement_.get());
    // A query that was killed may still give a row, with a wrong value: SLEEP() does.
    if (watch_.has_fired()) {
      fail(ended_error(context_));
      return Fetched::Failed;
    }
    if (status == 0 || status == MYSQL_DATA_TRUNCATED) return Fetched::Row;
    if (status == MYSQL_NO_DATA) return Fetched::End;
    fail_by_server(false);
    return Fetched::Failed;
  }

  // Whether all rows that are wanted came; is_clean then says whether there are no others.
  bool deliver(RowReader& reader) {
    PacedCheck paced(context_);
    std::size_t bytes = 0;
    while (true) {
      const Fetched fetched = fetch();
      if (fetched == Fetched::Failed) return false;
      if (fetched == Fetched::End) {
        out_.is_clean = true;
        return true;
      }
      if (out_.run.rows >= query_.rows_max) {
        out_.run.has_more = true;
        return true;
      }
      if (!reader.read(statement_.get())) {
        fail_by_server(false);
        return false;
      }
      bytes += reader.bytes();
      if (bytes > query_.bytes_max) {
        out_.run.has_more = true;
        return true;
      }
      if (auto sent = sink_.row(reader.row()); !sent) return fail(std::move(sent).error());
      ++out_.run.rows;
      if (auto on = paced.add(reader.bytes()); !on) return fail(std::move(on).error());
    }
  }

  void finish_write() {
    out_.affected = client().stmt_affected_rows(statement_.get());
    if (client().warning_count(connection_.handle()) > 0) read_warnings();
  }

  // With the rows of a RETURNING no number comes: each is one.
  void finish_returning() {
    std::uint64_t rows = out_.run.rows + (out_.run.has_more ? 1 : 0);
    while (out_.run.has_more && !out_.is_clean) {
      const Fetched fetched = fetch();
      if (fetched == Fetched::Failed) return;
      out_.is_clean = fetched == Fetched::End;
      if (!out_.is_clean) ++rows;
    }
    out_.affected = rows;
  }

  void finish(const RowReader& reader) {
    if (is_write_) {
      finish_returning();
    } else if (out_.run.has_more) {
      drain();
    }
    const bool has_warnings = out_.is_clean && may_have_warnings();
    if (out_.is_clean) see_changes();
    if (reader.has_bad_text()) {
      out_.run.notes.emplace_back("texts that are no valid UTF-8 are given as hexBinary");
    }
    if (has_warnings) read_warnings();
  }

  // The packet behind the last row has what the library does not read in the binary protocol: FE,
  // two bytes of warnings, two of status. Null for other packets: of them nothing is known.
  const unsigned char* end_packet() const {
    const NET& net = connection_.handle()->net;
    const bool is_end = net.read_pos != nullptr && net.read_pos[0] == 0xFE &&
                        (connection_.handle()->client_flag & kNoEndPacket) == 0;
    return is_end ? net.read_pos : nullptr;
  }

  bool may_have_warnings() const {
    const unsigned char* const end = end_packet();
    return end == nullptr || end[1] != 0 || end[2] != 0;
  }

  // A session that the statement changed, by a function of a view, is not used again.
  void see_changes() {
    const unsigned char* const end = end_packet();
    if (end == nullptr || !connection_.tells_changes()) return;
    const unsigned status = end[3] | (static_cast<unsigned>(end[4]) << 8U);
    connection_.is_certain = (status & kStateChanged) == 0;
    if (!connection_.is_certain) out_.is_clean = false;
  }

  void drain() {
    OpContext short_while;
    short_while.deadline = Deadline(real_clock(), kDrainTime);
    const Watchdog::Watch watch(dog_, connection_.socket(), connection_.thread_id(), short_while);
    for (std::size_t rows = 0; rows < kDrainRowsMax; ++rows) {
      const int status = client().stmt_fetch(statement_.get());
      if (watch.has_fired()) return;
      out_.is_clean = status == MYSQL_NO_DATA;
      if (status != 0 && status != MYSQL_DATA_TRUNCATED) return;
    }
  }

  void read_warnings() {
    auto rows = connection_.ask(fmt::format("SHOW WARNINGS LIMIT {}", kNotesMax + 1));
    if (!rows) {
      out_.is_clean = false;
      out_.run.notes.emplace_back("the database has warnings that could not be read");
      return;
    }
    for (const TextRow& row : *rows) {
      if (row.size() < 3 || !row[1] || !row[2]) continue;
      const bool is_plan = row[1] == std::to_string(ER_YES);  // the query as EXPLAIN rewrote it
      if (is_plan) continue;
      auto& notes = out_.run.notes;
      if (std::find(notes.begin(), notes.end(), *row[2]) == notes.end()) notes.push_back(*row[2]);
    }
    if (rows->size() > kNotesMax) {
      out_.run.notes.emplace_back("the database has more warnings than are shown");
    }
  }

  Connection& connection_;
  const TableQuery& query_;
  std::string_view database_;
  RowSink& sink_;
  Watchdog& dog_;
  const Watchdog::Watch& watch_;
  const OpContext& context_;
  std::unique_ptr<MYSQL_STMT, CloseStatement> statement_;
  bool is_write_ = false;
  StatementOutcome out_;
};

class NoRows final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row /*cells*/) override { return {}; }
};

}  // namespace

Error ended_error(const OpContext& context) {
  if (context.cancel.is_cancelled()) {
    return {ErrorCode::Cancelled, "the statement was cancelled"};
  }
  return {ErrorCode::LimitExceeded, "the deadline has passed: the statement was ended",
          "allow more time or ask for less: add conditions or a LIMIT"};
}

StatementOutcome run_statement(Connection& connection, std::string_view sql,
                               const TableQuery& query, std::string_view database, RowSink& sink,
                               Watchdog& dog, const Watchdog::Watch& watch,
                               const OpContext& context) {
  return StatementRun(connection, query, database, sink, dog, watch, context).run(sql);
}

StatementOutcome run_write(Connection& connection, std::string_view sql, const TableQuery& query,
                           std::string_view database, RowSink* sink, Watchdog& dog,
                           const Watchdog::Watch& watch, const OpContext& context) {
  NoRows none;
  RowSink& rows = sink == nullptr ? none : *sink;
  return StatementRun(connection, query, database, rows, dog, watch, context).run(sql, true);
}

}  // namespace helve::sql::mysql
