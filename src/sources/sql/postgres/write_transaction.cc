#include "sources/sql/postgres/write_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sources/sql/postgres/change_counts.h"
#include "sources/sql/postgres/pq_library.h"
#include "sources/sql/postgres/row_delivery.h"
#include "sources/sql/postgres/server_error.h"
#include "sources/sql/postgres/write_guard.h"
#include "sources/sql/postgres/write_target.h"

namespace helve::sql {

namespace {

constexpr std::size_t kRunsMax = 1'000;  // each keeps a savepoint
constexpr std::size_t kReturnedBytesMax = std::size_t{64} << 20;
constexpr std::size_t kReceivedBytesMax = std::size_t{256} << 20;  // of one row
constexpr std::uint64_t kFetchRows = 1'000;
// Who holds the transaction ends it sooner; this is for those who cannot any more.
constexpr std::string_view kIdle = "SET LOCAL idle_in_transaction_session_timeout = 180000";
// In savepoints of reads: nothing can be changed until they are rolled back.
constexpr std::string_view kReadOnly = "SET LOCAL transaction_read_only = on";

// Sets when the server stops waiting for a lock: well before the time is over, so that the
// transaction can be told of it and go on.
std::string lock_timeout_statement(const OpContext& context) {
  constexpr std::int64_t kMax = 500'000;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline.remaining()).count();
  return fmt::format("SET LOCAL lock_timeout = {}",
                     std::clamp<std::int64_t>(left / 4 * 3, 1, kMax));
}

std::optional<std::uint64_t> count_of(PGresult* result) {
  const std::string_view digits = pq().cmd_tuples(result);
  std::uint64_t count = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (digits.empty() || read.ec != std::errc()) return std::nullopt;
  return count;
}

class PostgresTransaction final : public WriteTransaction {
 public:
  PostgresTransaction(Pool<Connection>::Lease lease, VerifyStatement verify)
      : lease_(std::move(lease)), verify_(std::move(verify)) {}
  ~PostgresTransaction() override { end(); }
  PostgresTransaction(const PostgresTransaction&) = delete;
  PostgresTransaction& operator=(const PostgresTransaction&) = delete;

  WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) override {
    WriteRun out;
    auto done = run_checked(write, returned, context, out);
    if (!done) fail(out, std::move(done).error());
    return out;
  }

  Result<void> undo(const OpContext& context) override {
    HELVE_TRY(check_open(context));
    if (kept_.empty()) {
      return Error{ErrorCode::InvalidInput, "there is nothing to undo in this transaction"};
    }
    return undo_last(context);
  }

  TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) override {
    TableRun out;
    auto done = read_checked(query, sink, context, out);
    if (!done && !out.error) out.error = std::move(done).error();
    return out;
  }

  CommitOutcome commit(const OpContext& context) override {
    if (auto open = check_open(context); !open) return {std::move(open).error(), false};
    if (!has_begun_) {
      end();
      return {};
    }
    // The first look may find the last words of the server, the second that it is gone.
    if (!connection().is_alive() || !connection().is_alive()) {
      return {drop({ErrorCode::Unavailable,
                    "the connection was lost before the commit: the database rolls back",
                    "call again"}),
              false};
    }
    if (auto run = run_waiting(context); !run) {
      end();
      return {std::move(run).error(), false};
    }
    return send_commit(context);
  }

  Result<void> roll_back(const OpContext& /*context*/) override {
    // What is sent needs no answer: a connection that goes ends the transaction as well.
    end();
    return {};
  }

 private:
  // What came of one thing that was sent.
  struct Answer {
    std::optional<StatementError> error;  // the first
    std::string state;                    // its SQLSTATE
    std::optional<std::uint64_t> count;   // of the last statement
    std::string tag;
  };

  Result<void> check_open(const OpContext& context) {
    if (!lease_ || is_over_) {
      return Error{ErrorCode::Unavailable,
                   over_.empty() ? std::string("the transaction is over") : over_,
                   "begin another one"};
    }
    if (auto on = context.check(); !on) return drop(std::move(on).error());
    return {};
  }

  Connection& connection() { return **lease_; }
  void give_up() {
    if (lease_) lease_->drop();
    lease_.reset();
  }

  // Gives the connection back, rolled back.
  void end() {
    is_over_ = true;
    if (!lease_) return;
    if (has_begun_ && !connection().clean_up()) lease_->drop();
    lease_.reset();
  }

  // The connection is of no use any more; the server rolls back when it goes.
  Error drop(Error error) {
    over_ = fmt::format("the transaction was rolled back: {}", error.message);
    if (lease_) connection().cancel();
    give_up();
    is_over_ = true;
    return error;
  }

  // Answers of all that was sent. An error of the result is that of the connection: it is dropped.
  Result<Answer> exchange(const OpContext& context, RowDelivery* rows,
                          const SentStatement& sent = {}) {
    Answer answer;
    auto received = receive(context, rows, sent, answer);
    if (!received) return drop(std::move(received).error());
    return answer;
  }

  Result<void> receive(const OpContext& context, RowDelivery* rows, const SentStatement& sent,
                       Answer& answer) {
    HELVE_TRY(connection().send());
    HELVE_TRY(connection().settle(context));
    connection().limit_receiving(kReceivedBytesMax);
    std::size_t nothing = 0;
    while (true) {
      HELVE_ASSIGN(const ResultPtr result, connection().next(context));
      if (result == nullptr) {
        if (++nothing > 2) {
          return Error{ErrorCode::Unavailable, "the connection to the database was lost",
                       "call again"};
        }
        if (rows != nullptr) connection().read_by_rows();
        continue;
      }
      nothing = 0;
      const ExecStatusType status = pq().result_status(result.get());
      if (status == PGRES_PIPELINE_SYNC) return {};
      if (status == PGRES_PIPELINE_ABORTED) continue;
      if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE) {
        if (rows != nullptr && status != PGRES_COMMAND_OK) take_rows(*rows, result.get(), context);
        answer.count = count_of(result.get());
        answer.tag = pq().cmd_status(result.get());
        continue;
      }
      const ServerReport report = report_of(result.get());
      StatementError found = statement_error(report, sent);
      const bool is_out_of_time = report.state == "57014";
      if (is_out_of_time || ends_connection(report.state)) return std::move(found.error);
      if (answer.error) continue;
      answer.state = report.state;
      answer.error = std::move(found);
    }
  }

  // The first error of a sink is kept; the rest of the rows is received and dropped.
  void take_rows(RowDelivery& rows, const PGresult* result, const OpContext& context) {
    if (sink_error_) return;
    if (auto taken = rows.take(result, context); !taken) sink_error_ = std::move(taken).error();
  }

  // A statement of ours: one that cannot be sent means that the connection is gone.
  Result<void> put(const std::string& statement, const std::vector<SqlValue>& parameters = {}) {
    if (auto queued = connection().queue(statement, parameters); !queued) {
      return drop(std::move(queued).error());
    }
    return {};
  }

  Result<void> begin(const OpContext& context) {
    if (has_begun_) return {};
    HELVE_TRY(put("BEGIN TRANSACTION READ WRITE"));
    HELVE_TRY(put(std::string(kIdle)));
    HELVE_ASSIGN(const Answer answer, exchange(context, nullptr));
    if (answer.error) return drop(answer.error->error);
    has_begun_ = true;
    return {};
  }

  Result<void> queue_limits(const OpContext& context) {
    HELVE_TRY(put(timeout_statement(context)));
    return put(lock_timeout_statement(context));
  }

  Result<void> roll_back_to(std::size_t savepoint, const OpContext& context) {
    HELVE_TRY(put(fmt::format("ROLLBACK TO SAVEPOINT s{}", savepoint)));
    HELVE_TRY(put(fmt::format("RELEASE SAVEPOINT s{}", savepoint)));
    HELVE_ASSIGN(const Answer answer, exchange(context, nullptr));
    if (answer.error) return drop(answer.error->error);
    return {};
  }

  // Rows of our own questions about the catalogue, within the transaction.
  Result<std::vector<ResultPtr>> ask(const std::vector<std::string>& statements,
                                     const std::vector<SqlValue>& parameters,
                                     const OpContext& context) {
    const std::size_t savepoint = next_savepoint_++;
    HELVE_TRY(queue_limits(context));
    HELVE_TRY(put(fmt::format("SAVEPOINT s{}", savepoint)));
    HELVE_TRY(put(std::string(kReadOnly)));
    for (const std::string& one : statements) HELVE_TRY(put(one, parameters));
    auto results = receive_all(context);
    if (!results) return drop(std::move(results).error());
    HELVE_TRY(roll_back_to(savepoint, context));
    return results;
  }

  Result<std::vector<ResultPtr>> receive_all(const OpContext& context) {
    HELVE_TRY(connection().send());
    HELVE_TRY(connection().settle(context));
    std::vector<ResultPtr> results;
    std::size_t nothing = 0;
    while (true) {
      HELVE_ASSIGN(ResultPtr result, connection().next(context));
      if (result == nullptr) {
        if (++nothing > 2) {
          return Error{ErrorCode::Unavailable, "the connection to the database was lost",
                       "call again"};
        }
        continue;
      }
      nothing = 0;
      const ExecStatusType status = pq().result_status(result.get());
      if (status == PGRES_PIPELINE_SYNC) return results;
      if (status == PGRES_TUPLES_OK) results.push_back(std::move(result));
      if (status == PGRES_FATAL_ERROR) return statement_error(report_of(result.get()), {}).error;
    }
  }

  void fail(WriteRun& out, Error error) {
    if (!out.error) out.error = std::move(error);
    out.affected.reset();
  }

  Result<void> run_checked(const TableWrite& write, RowSink* returned, const OpContext& context,
                           WriteRun& out) {
    HELVE_TRY(check_open(context));
    if (kept_.size() >= kRunsMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("a transaction has {} statements at most", kRunsMax)};
    }
    HELVE_ASSIGN(const GuardedWrite guarded, guard_write(write.sql, out.problem));
    HELVE_TRY(check_parameter_count(write.parameters.size(), guarded.statement));
    TableQuery query;
    query.sql = write.sql;
    query.rules = write.rules;
    HELVE_TRY(verify_(query, guarded.statement, out.problem, context));
    HELVE_TRY(begin(context));
    const AskDatabase question = [&](const std::vector<std::string>& statements,
                                     const std::vector<SqlValue>& parameters) {
      return ask(statements, parameters, context);
    };
    HELVE_ASSIGN(const WriteTarget target, read_target(guarded, write.sql, question, out.problem));
    HELVE_TRY(check_target(guarded, target, write.sql, write.rules.get()));
    HELVE_ASSIGN(const ChangeCounts before, count(context));
    if (!before.are_kept && has_effects(target)) return uncounted();
    HELVE_TRY(run_once(write, guarded, returned, false, context, out));
    if (auto judged = judge_run({write, guarded, target, before}, context, out); !judged) {
      if (lease_) HELVE_TRY(undo_last(context));
      return judged;
    }
    for (std::string& notice : connection().take_notices()) out.notes.push_back(std::move(notice));
    return {};
  }

  Result<void> undo_last(const OpContext& context) {
    HELVE_TRY(roll_back_to(kept_.back().savepoint, context));
    rows_left_ = kept_.back().rows_left;
    kept_.pop_back();
    return {};
  }

  Result<ChangeCounts> count(const OpContext& context) {
    HELVE_ASSIGN(const auto results, ask(count_statements(), {}, context));
    return read_counts(results);
  }

  static Error uncounted() {
    return {ErrorCode::Denied,
            "triggers or foreign keys would change rows too, which this server does not count",
            "max_affected_rows could not be held: the server's owner can set track_counts = on"};
  }

  struct Ran {
    const TableWrite& write;
    const GuardedWrite& guarded;
    const WriteTarget& target;
    const ChangeCounts& before;
  };

  // What a statement did besides, which only the counts tell.
  Result<void> judge_run(const Ran& ran, const OpContext& context, WriteRun& out) {
    HELVE_ASSIGN(const ChangeCounts after, count(context));
    const std::vector<ChangedTable> changed = changed_between(ran.before, after);
    const bool is_definition = ran.guarded.kind == WriteKind::Definition;
    if (after.has_locked_table && !ran.before.has_locked_table && !is_definition) {
      return Error{ErrorCode::Denied,
                   "a trigger empties, alters or locks a whole table: how many rows that changes "
                   "is not known, and it is rolled back",
                   "change a table whose triggers do not"};
    }
    HELVE_TRY(
        check_changed(ran.guarded, ran.target, ran.write.sql, ran.write.rules.get(), changed));
    const std::uint64_t all = rows_of(changed);
    const std::uint64_t own = out.affected.value_or(0);
    out.besides = all > own ? all - own : 0;
    rows_left_ = ran.write.changes_max - std::min(ran.write.changes_max, own + out.besides);
    if (has_code(ran.target)) waiting_ = Waiting{ran.write, ran.guarded, ran.target};
    return {};
  }

  // Triggers that wait for the commit run now, while their rows can be counted.
  Result<void> run_waiting(const OpContext& context) {
    if (!waiting_) return {};
    HELVE_ASSIGN(const ChangeCounts before, count(context));
    HELVE_TRY(queue_limits(context));
    HELVE_TRY(put("SET CONSTRAINTS ALL IMMEDIATE"));
    HELVE_ASSIGN(Answer answer, exchange(context, nullptr));
    if (answer.error) return std::move(answer.error->error);
    HELVE_ASSIGN(const ChangeCounts after, count(context));
    const std::vector<ChangedTable> changed = changed_between(before, after);
    HELVE_TRY(check_changed(waiting_->guarded, waiting_->target, waiting_->write.sql,
                            waiting_->write.rules.get(), changed));
    const std::uint64_t rows = rows_of(changed);
    if (rows <= rows_left_ && (!after.has_locked_table || before.has_locked_table)) return {};
    return Error{ErrorCode::Denied,
                 fmt::format("triggers that waited for the commit changed {} more rows, and the "
                             "policy leaves {}: everything is rolled back",
                             rows, rows_left_),
                 "max_affected_rows holds for all that a change does: change fewer rows"};
  }

  Result<void> run_once(const TableWrite& write, const GuardedWrite& guarded, RowSink* returned,
                        bool has_types, const OpContext& context, WriteRun& out) {
    const std::size_t savepoint = next_savepoint_++;
    HELVE_TRY(queue_limits(context));
    HELVE_TRY(put(fmt::format("SAVEPOINT s{}", savepoint)));
    auto queued = connection().queue(std::string(guarded.statement.text_of(write.sql)),
                                     write.parameters, has_types);
    RowDelivery rows(returned, write.rows_max, kReturnedBytesMax, connection().types());
    HELVE_ASSIGN(Answer answer, exchange(context, &rows, {write.sql, 0, guarded.statement.begin}));
    if (!queued) answer.error = StatementError{std::move(queued).error(), {}};
    if (std::optional<Error> full = std::exchange(sink_error_, {}); full && !answer.error) {
      answer.error = StatementError{*std::move(full), {}};
    }
    if (answer.error) {
      HELVE_TRY(roll_back_to(savepoint, context));
      const bool wants_types = answer.state == "42725" || answer.state == "42P18";
      if (wants_types && !has_types && !write.parameters.empty()) {
        return run_once(write, guarded, returned, true, context, out);
      }
      out.problem = std::move(answer.error->problem);
      return write_error(std::move(answer));
    }
    kept_.push_back({savepoint, rows_left_});
    // Of CREATE TABLE ... AS it is the rows that were made.
    const bool is_definition = guarded.kind == WriteKind::Definition;
    if (!is_definition || answer.count) out.affected = answer.count.value_or(0);
    out.notes = rows.notes();
    if (rows.has_more()) {
      out.notes.push_back(
          fmt::format("only the first {} rows of RETURNING are given", rows.rows()));
    }
    return {};
  }

  static Error write_error(Answer answer) {
    Error error = std::move(answer.error->error);
    if (answer.state == "42501") {
      error.hint = "ask the owner of the database for the right to change it";
    }
    if (answer.state == "55P03") error.hint = "another transaction holds the rows: call again";
    return error;
  }

  Result<void> read_checked(const TableQuery& query, RowSink& sink, const OpContext& context,
                            TableRun& out) {
    HELVE_TRY(check_open(context));
    HELVE_ASSIGN(const GuardedStatement statement, guard_statement(query.sql, out.problem));
    HELVE_TRY(check_parameter_count(query.parameters.size(), statement));
    HELVE_TRY(verify_(query, statement, out.problem, context));
    HELVE_TRY(begin(context));
    auto done = read_once(query, statement, sink, false, context, out);
    if (lease_) {
      for (std::string& notice : connection().take_notices())
        out.notes.push_back(std::move(notice));
    }
    return done;
  }

  Result<void> read_once(const TableQuery& query, const GuardedStatement& statement, RowSink& sink,
                         bool has_types, const OpContext& context, TableRun& out) {
    constexpr std::string_view kCursor = "DECLARE c NO SCROLL CURSOR FOR\n";
    const bool has_cursor = statement.kind == GuardedStatement::Kind::Rows;
    const std::string_view prefix = has_cursor ? kCursor : std::string_view();
    const std::size_t savepoint = next_savepoint_++;
    RowDelivery rows(&sink, query.rows_max, query.bytes_max, connection().types());
    HELVE_TRY(queue_limits(context));
    HELVE_TRY(put(fmt::format("SAVEPOINT s{}", savepoint)));
    HELVE_TRY(put(std::string(kReadOnly)));
    auto queued = connection().queue(std::string(prefix).append(statement.text_of(query.sql)),
                                     query.parameters, has_types);
    HELVE_ASSIGN(Answer answer,
                 exchange(context, &rows, {query.sql, prefix.size(), statement.begin}));
    if (!queued) answer.error = StatementError{std::move(queued).error(), {}};
    if (has_cursor && !answer.error) HELVE_TRY(fetch_all(rows, answer, context));
    HELVE_TRY(roll_back_to(savepoint, context));
    out.rows = rows.rows();
    out.has_more = rows.has_more();
    out.column_types = rows.column_types();
    out.notes = rows.notes();
    std::optional<Error> full = std::exchange(sink_error_, {});
    if (!answer.error && !full) return {};
    const bool wants_types = answer.state == "42725" || answer.state == "42P18";
    if (wants_types && !has_types && !query.parameters.empty()) {
      return read_once(query, statement, sink, true, context, out);
    }
    if (!answer.error) return *std::move(full);
    out.problem = std::move(answer.error->problem);
    return std::move(answer.error->error);
  }

  Result<void> fetch_all(RowDelivery& rows, Answer& answer, const OpContext& context) {
    while (!answer.error && !rows.has_more() && !sink_error_) {
      HELVE_TRY(queue_limits(context));
      HELVE_TRY(put(fmt::format("FETCH {} FROM c", kFetchRows)));
      HELVE_ASSIGN(answer, exchange(context, &rows));
      if (answer.count.value_or(0) < kFetchRows) break;
    }
    return {};
  }

  CommitOutcome send_commit(const OpContext& context) {
    auto queued = queue_limits(context);
    if (queued) queued = put("COMMIT");
    if (!queued) return {std::move(queued).error(), false};
    auto answer = exchange(context, nullptr);
    if (!answer) {
      Error error = answer.error();
      error.message = "whether the commit was made is not known: " + error.message;
      error.hint = "look whether the changes are there before making them again";
      return {std::move(error), true};
    }
    CommitOutcome outcome;
    if (answer->error) {
      outcome.error = std::move(answer->error->error);
    } else if (answer->tag != "COMMIT") {
      outcome.error = Error{ErrorCode::Unavailable, "the database rolled the transaction back"};
    }
    end();
    return outcome;
  }

  std::optional<Pool<Connection>::Lease> lease_;  // none: it is over
  VerifyStatement verify_;
  bool has_begun_ = false;
  bool is_over_ = false;
  std::string over_;  // why
  struct Kept {
    std::size_t savepoint = 0;
    std::uint64_t rows_left = 0;  // before it
  };
  std::vector<Kept> kept_;  // of the runs that succeeded
  // Rows that may still be changed, as the last run had it.
  std::uint64_t rows_left_ = std::numeric_limits<std::uint64_t>::max();
  // The last run with triggers, which may wait for the commit.
  struct Waiting {
    TableWrite write;
    GuardedWrite guarded;
    WriteTarget target;
  };
  std::optional<Waiting> waiting_;
  std::size_t next_savepoint_ = 0;
  std::optional<Error> sink_error_;
};

}  // namespace

Result<void> check_parameter_count(std::size_t given, const GuardedStatement& statement) {
  if (given == statement.parameters) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("the statement has {} parameters, and {} were given",
                           statement.parameters, given),
               "write $1, $2 ... in the statement, and give a value for each"};
}

std::unique_ptr<WriteTransaction> make_transaction(Pool<Connection>::Lease lease,
                                                   VerifyStatement verify) {
  return std::make_unique<PostgresTransaction>(std::move(lease), std::move(verify));
}

}  // namespace helve::sql
