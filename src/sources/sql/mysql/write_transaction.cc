#include "sources/sql/mysql/write_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sources/sql/mysql/follow_ups.h"
#include "sources/sql/mysql/server_error.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kRunsMax = 1'000;  // each keeps a savepoint
constexpr std::size_t kReturnedBytesMax = std::size_t{64} << 20;

// The rows go on to another sink until that has had enough: the transaction must not break by it.
class PatientSink final : public RowSink {
 public:
  explicit PatientSink(RowSink& sink) : sink_(sink) {}
  Result<void> columns(const std::vector<std::string>& names) override {
    keep(sink_.columns(names));
    return {};
  }
  Result<void> row(Row cells) override {
    if (!error_) keep(sink_.row(cells));
    return {};
  }
  std::optional<Error>& error() { return error_; }

 private:
  void keep(Result<void> done) {
    if (!done && !error_) error_ = std::move(done).error();
  }
  RowSink& sink_;
  std::optional<Error> error_;
};

// The one number that a count gives.
class OneNumber final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    if (cells.empty() || !cells.front()) return {};
    const std::string_view digits = cells.front()->value;
    std::uint64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec == std::errc()) number = value;
    return {};
  }
  std::optional<std::uint64_t> number;
};

// What follows a statement, as far as it is known before it runs.
struct Following {
  std::uint64_t rows = 0;  // by foreign keys
  // Of the statement itself, where rows follow.
  std::optional<std::uint64_t> own;
  std::size_t unseen_tables = 0;  // that it reaches besides
  bool may_have_triggers = false;
  std::uint64_t handled = 0;  // rows that the session has written before, where there may be some
};

bool has_table_rules(const TableRules* rules) {
  return rules != nullptr && (rules->allowed_tables || !rules->denied_tables.empty());
}

Error denied(std::string message, std::string hint) {
  return {ErrorCode::Denied, std::move(message), std::move(hint)};
}

Error unseen(std::string_view what) {
  return denied(fmt::format("{}, and the policy has rules for tables: nothing is changed", what),
                "change tables that no trigger and no foreign key of another table follows, or let "
                "whoever keeps the policy leave allowed_tables and denied_tables out");
}

// The values of the condition alone.
std::vector<SqlValue> condition_values(const WriteShape& shape, std::string_view sql,
                                       const std::vector<SqlValue>& parameters) {
  const auto tokens = read_sql_tokens(sql, SqlDialect::MySql);
  std::size_t count = 0;
  if (tokens && !shape.where.is_empty()) {
    count = static_cast<std::size_t>(
        std::count_if(tokens->begin(), tokens->end(), [&](const SqlToken& token) {
          return token.kind == SqlTokenKind::Parameter && token.begin >= shape.where.begin &&
                 token.begin < shape.where.end;
        }));
  }
  const std::size_t first = std::min(shape.parameters_before, parameters.size());
  const std::size_t end = std::min(first + count, parameters.size());
  return {parameters.begin() + static_cast<std::ptrdiff_t>(first),
          parameters.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Of a COMMIT: the server has closed the connection, or was made to stop.
bool is_commit_unknown(unsigned code) {
  constexpr unsigned kShutdown = 1053;
  constexpr unsigned kAborted = 1152;
  constexpr unsigned kInterrupted = 1317;
  constexpr unsigned kKilled = 1927;
  constexpr unsigned kTimedOut = 1969;
  return is_lost_connection(code) || (code >= 2000 && code < 3000) || code == kShutdown ||
         code == kAborted || code == kInterrupted || code == kKilled || code == kTimedOut;
}

class MysqlTransaction final : public WriteTransaction {
 public:
  MysqlTransaction(Pool<Connection>::Lease lease, const ReadSide& reads)
      : lease_(std::move(lease)), reads_(reads) {}
  ~MysqlTransaction() override { end(); }
  MysqlTransaction(const MysqlTransaction&) = delete;
  MysqlTransaction& operator=(const MysqlTransaction&) = delete;

  WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) override {
    WriteRun out;
    if (auto done = run_checked(write, returned, context, out); !done) {
      out.error = std::move(done).error();
      out.affected.reset();
    }
    return out;
  }

  Result<void> undo(const OpContext& context) override {
    HELVE_TRY(check_open(context));
    if (has_defined_) {
      return Error{ErrorCode::InvalidInput, "a definition of this database cannot be undone"};
    }
    if (kept_.empty()) {
      return Error{ErrorCode::InvalidInput, "there is nothing to undo in this transaction"};
    }
    HELVE_TRY(roll_back_to(kept_.back(), context));
    kept_.pop_back();
    return {};
  }

  TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) override {
    TableRun out;
    if (auto done = read_checked(query, sink, context, out); !done) {
      out.error = std::move(done).error();
    }
    return out;
  }

  CommitOutcome commit(const OpContext& context) override {
    if (auto open = check_open(context); !open) return {std::move(open).error(), false};
    if (!has_begun_) {
      end();
      return {};
    }
    return send_commit(context);
  }

  Result<void> roll_back(const OpContext& /*context*/) override {
    const bool has_defined = has_defined_;
    end();
    if (!has_defined) return {};
    return Error{ErrorCode::InvalidInput,
                 "a definition of this database cannot be rolled back: it stays"};
  }

 private:
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

  // A connection that is closed is rolled back by the server, without a wait here.
  void end() {
    is_over_ = true;
    if (!lease_) return;
    if (!has_begun_ || has_defined_) {
      lease_.reset();
      return;
    }
    OpContext soon;
    soon.deadline = Deadline(real_clock(), std::chrono::seconds(1));
    bool is_clean = false;
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  soon);
      is_clean = connection().ask("ROLLBACK").has_value() && !watch.has_fired();
    }
    if (!is_clean) lease_->drop();
    lease_.reset();
  }

  Error drop(Error error) {
    over_ = fmt::format("the transaction was rolled back: {}", error.message);
    give_up();
    is_over_ = true;
    return error;
  }

  // Statements of ours, one after another.
  Result<void> command(const std::vector<std::string>& statements, const OpContext& context) {
    std::optional<Error> failed;
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      for (const std::string& one : statements) {
        auto done = connection().ask(one);
        if (!done) failed = std::move(done).error();
        if (watch.has_fired()) failed = ended_error(context);
        if (failed) break;
      }
    }
    if (failed) return drop(*std::move(failed));
    return {};
  }

  CommitOutcome send_commit(const OpContext& context) {
    bool was_alive = false;
    std::optional<Error> failed;
    bool has_fired = false;
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      was_alive = connection().is_alive();
      if (was_alive) {
        auto done = connection().ask("COMMIT");
        if (!done) failed = std::move(done).error();
      }
      has_fired = watch.has_fired();
    }
    if (!was_alive) {
      return {drop({ErrorCode::Unavailable,
                    "the connection was lost before the commit: the database rolls back",
                    "call again"}),
              false};
    }
    const bool is_unknown = failed && (has_fired || is_commit_unknown(connection().last_code()));
    is_over_ = true;
    if (has_fired || failed) lease_->drop();
    lease_.reset();
    if (!failed) return {};
    if (is_unknown) {
      failed->message = "whether the commit was made is not known: " + failed->message;
      failed->hint = "look whether the changes are there before making them again";
    }
    return {std::move(failed), is_unknown};
  }

  Result<void> roll_back_to(std::size_t savepoint, const OpContext& context) {
    return command({fmt::format("ROLLBACK TO SAVEPOINT s{}", savepoint),
                    fmt::format("RELEASE SAVEPOINT s{}", savepoint)},
                   context);
  }

  // Before each statement: how long locks are waited for, well within the time, in seconds.
  static std::string lock_limit(const OpContext& context) {
    constexpr std::int64_t kMax = 3'600;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline.remaining()).count();
    const std::int64_t seconds = std::clamp<std::int64_t>(left / 4 * 3 / 1'000, 1, kMax);
    return fmt::format("SET SESSION innodb_lock_wait_timeout = {0}, lock_wait_timeout = {0}",
                       seconds);
  }

  Result<void> begin(std::size_t savepoint, const OpContext& context) {
    std::vector<std::string> statements{lock_limit(context)};
    if (!has_begun_) statements.emplace_back("START TRANSACTION READ WRITE");
    statements.push_back(fmt::format("SAVEPOINT s{}", savepoint));
    HELVE_TRY(command(statements, context));
    has_begun_ = true;
    return {};
  }

  Result<void> run_checked(const TableWrite& write, RowSink* returned, const OpContext& context,
                           WriteRun& out) {
    HELVE_TRY(check_open(context));
    if (kept_.size() >= kRunsMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("a transaction has {} statements at most", kRunsMax)};
    }
    HELVE_ASSIGN(const GuardedWrite guarded,
                 guard_write(write.sql, allowed_functions(write.rules), out.problem));
    TableQuery query;
    query.sql = write.sql;
    query.parameters = write.parameters;
    query.rules = write.rules;
    query.rows_max = write.rows_max;
    query.bytes_max = kReturnedBytesMax;
    HELVE_TRY(reads_.verify_statement(query, guarded.statement, context));
    HELVE_ASSIGN(const WriteTarget target, reads_.look_at(guarded, context));
    HELVE_TRY(check_target(guarded, target, write.sql, write.rules.get(), out.problem));
    const bool is_definition = guarded.shape.kind == WriteKind::Definition;
    if (has_defined_ || (is_definition && !kept_.empty())) {
      return Error{
          ErrorCode::InvalidInput,
          "a definition of this database ends the transaction it is in: it has to be alone",
          "make it in a transaction of its own"};
    }
    const std::size_t savepoint = next_savepoint_++;
    HELVE_TRY(begin(savepoint, context));
    if (is_definition) return keep_definition(execute(query, guarded, returned, context), out);
    auto following = look_ahead(write, guarded, target, context, out);
    if (!following) {
      if (lease_) HELVE_TRY(roll_back_to(savepoint, context));
      return std::move(following).error();
    }
    HELVE_TRY(keep(savepoint, execute(query, guarded, returned, context), context, out));
    if (auto judged = judge_run(guarded, target, *following, context, out); !judged) {
      if (lease_) HELVE_TRY(undo(context));
      return judged;
    }
    return {};
  }

  // Work on the connection that may fail without the transaction ending by it.
  template <typename Work>
  auto watched(const OpContext& context, Work&& work) -> decltype(work()) {
    bool has_fired = false;
    auto done = [&] {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      auto result = work();
      has_fired = watch.has_fired();
      return result;
    }();
    if (has_fired) return drop(ended_error(context));
    return done;
  }

  Result<Following> look_ahead(const TableWrite& write, const GuardedWrite& guarded,
                               const WriteTarget& target, const OpContext& context, WriteRun& out) {
    Following found;
    found.may_have_triggers = !target.sees_triggers || !target.triggers.empty();
    HELVE_TRY(look_at_tables(write, guarded, target, context, found));
    if (guarded.deletes || guarded.updates) {
      HELVE_TRY(count_following(write, guarded, target, context, found, out));
    }
    if (!found.may_have_triggers) return found;
    HELVE_ASSIGN(found.handled, watched(context, [&]() -> Result<std::uint64_t> {
                   // Asking may count, too: what it does is seen by asking twice.
                   const auto first = count_handled_rows(connection());
                   const auto second = count_handled_rows(connection());
                   if (first && second) return *second + (*second - *first);
                   return denied("the server does not tell how many rows triggers change",
                                 "max_affected_rows could not be held");
                 }));
    return found;
  }

  // Which tables it reaches: they are opened when it is explained.
  Result<void> look_at_tables(const TableWrite& write, const GuardedWrite& guarded,
                              const WriteTarget& target, const OpContext& context,
                              Following& found) {
    const bool has_rules = has_table_rules(write.rules.get());
    return watched(context, [&]() -> Result<void> {
      const auto unseen_tables = count_unseen_tables(connection(), guarded, target);
      found.unseen_tables = unseen_tables.value_or(0);
      HELVE_ASSIGN(const bool may_follow, may_be_followed(connection(), guarded, target));
      // MySQL does not open tables for foreign keys.
      const bool is_known = unseen_tables && (connection().is_mariadb() || !may_follow);
      if (has_rules && !is_known) {
        return unseen("whether triggers and foreign keys change other tables cannot be seen");
      }
      if (has_rules && found.unseen_tables > 0) {
        return unseen("triggers or foreign keys reach tables that cannot be told");
      }
      if (found.unseen_tables > 0 && !found.may_have_triggers) return uncounted();
      return {};
    });
  }

  static Error uncounted() {
    return denied(
        "rows of tables that the user of the database may not see would follow by foreign keys: "
        "how many cannot be counted",
        "max_affected_rows could not be held: the user needs the right SELECT on those tables");
  }

  Result<void> count_following(const TableWrite& write, const GuardedWrite& guarded,
                               const WriteTarget& target, const OpContext& context,
                               Following& found, WriteRun& out) {
    FollowingRows rows(connection(), guarded, target, write.sql, write.changes_max);
    HELVE_ASSIGN(auto open, watched(context, [&] { return rows.first(); }));
    TableQuery values;
    values.sql = write.sql;
    if (rows.is_exact()) {
      values.parameters = condition_values(guarded.shape, write.sql, write.parameters);
    }
    values.rows_max = 1;
    std::uint64_t all = 0;
    while (!open.empty()) {
      const FollowingRows::Count one = open.front();
      open.erase(open.begin());
      HELVE_ASSIGN(const std::uint64_t count, count_one(one, values, context));
      all += count;
      if (one.way == 0) {
        found.own = count;
      } else {
        found.rows += count;
      }
      if (count > 0 && !rows.is_exact()) {
        return denied(fmt::format("rows of {} may follow by a foreign key, and how many cannot be "
                                  "told for a {} of this form",
                                  quote_name(one.table), guarded.shape.verb),
                      "write a plain UPDATE or DELETE: ... WHERE ..., without ORDER BY and LIMIT");
      }
      if (all > write.changes_max) {
        out.is_too_much = true;
        return denied(fmt::format("more rows would be changed than may be: with those of {} that "
                                  "follow by foreign keys",
                                  quote_name(one.table)),
                      "change fewer rows");
      }
      if (one.way == 0 || count == 0) continue;
      HELVE_ASSIGN(auto more, watched(context, [&] { return rows.next(one.way); }));
      open.insert(open.end(), more.begin(), more.end());
    }
    return {};
  }

  Result<std::uint64_t> count_one(const FollowingRows::Count& count, const TableQuery& values,
                                  const OpContext& context) {
    OneNumber found;
    StatementOutcome outcome;
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      outcome = run_write(connection(), count.sql, values, reads_.database(), &found, reads_.dog(),
                          watch, context);
    }
    if (!outcome.is_clean) {
      return drop(outcome.run.error ? *std::move(outcome.run.error)
                                    : Error{ErrorCode::Unavailable, "the connection was lost"});
    }
    if (!outcome.run.error && found.number) return *found.number;
    return denied(fmt::format("rows of {} follow by a foreign key, and could not be counted",
                              quote_name(count.table)),
                  "max_affected_rows could not be held: the user needs the right SELECT on it")
        .with_detail(outcome.run.error ? outcome.run.error->full_message() : "no answer");
  }

  Result<void> judge_run(const GuardedWrite& guarded, const WriteTarget& target,
                         const Following& following, const OpContext& context, WriteRun& out) {
    const std::uint64_t own = out.affected.value_or(0);
    if (following.own && *following.own != own) {
      return Error{ErrorCode::Unavailable,
                   "other rows were changed than were counted before: it is rolled back",
                   "call again; a condition that changes from one moment to the next cannot be "
                   "counted"};
    }
    out.besides = following.rows;
    if (!following.may_have_triggers) return {};
    HELVE_ASSIGN(const auto handled, watched(context, [&]() -> Result<std::uint64_t> {
                   const auto now = count_handled_rows(connection());
                   if (now) return *now - std::min(*now, following.handled);
                   return denied("the server does not tell how many rows triggers changed",
                                 "max_affected_rows could not be held");
                 }));
    if (handled > own) out.besides += handled - own;
    // Tables are reached, and no trigger wrote: they follow by foreign keys.
    const bool has_unseen = following.unseen_tables > 0 && !target.sees_triggers &&
                            (guarded.deletes || guarded.updates) && handled <= own;
    if (has_unseen) return uncounted();
    return {};
  }

  StatementOutcome execute(const TableQuery& query, const GuardedWrite& guarded, RowSink* returned,
                           const OpContext& context) {
    StatementOutcome outcome;
    std::optional<PatientSink> patient;
    if (returned != nullptr) patient.emplace(*returned);
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      outcome = run_write(connection(), guarded.statement.sql, query, reads_.database(),
                          patient ? &*patient : nullptr, reads_.dog(), watch, context);
    }
    if (patient && patient->error() && !outcome.run.error) {
      outcome.run.error = std::move(patient->error());
    }
    return outcome;
  }

  Result<void> keep(std::size_t savepoint, StatementOutcome outcome, const OpContext& context,
                    WriteRun& out) {
    out.problem = std::move(outcome.run.problem);
    if (outcome.run.error) {
      if (!outcome.is_clean) return drop(*std::move(outcome.run.error));
      // After a deadlock the database has rolled everything back: there is no savepoint then.
      if (auto undone = roll_back_to(savepoint, context); !undone) {
        over_ = fmt::format("the transaction was rolled back: {}", outcome.run.error->message);
      }
      return *std::move(outcome.run.error);
    }
    kept_.push_back(savepoint);
    out.affected = outcome.affected.value_or(0);
    out.notes = std::move(outcome.run.notes);
    if (outcome.run.has_more) {
      out.notes.push_back(
          fmt::format("only the first {} rows of RETURNING are given", outcome.run.rows));
    }
    return {};
  }

  Result<void> keep_definition(StatementOutcome outcome, WriteRun& out) {
    out.problem = std::move(outcome.run.problem);
    if (outcome.run.error) {
      if (!outcome.is_clean) return drop(*std::move(outcome.run.error));
      return *std::move(outcome.run.error);
    }
    has_defined_ = true;
    out.notes = std::move(outcome.run.notes);
    return {};
  }

  Result<void> read_checked(const TableQuery& query, RowSink& sink, const OpContext& context,
                            TableRun& out) {
    HELVE_TRY(check_open(context));
    HELVE_ASSIGN(const GuardedStatement statement,
                 check_statement(query.sql, allowed_functions(query.rules), out.problem));
    if (statement.kind == StatementKind::Show) {
      return Error{ErrorCode::Denied, "SHOW is not allowed within a transaction that changes",
                   "give a SELECT"};
    }
    HELVE_TRY(reads_.verify_statement(query, statement, context));
    const std::size_t savepoint = next_savepoint_++;
    HELVE_TRY(begin(savepoint, context));
    PatientSink patient(sink);
    StatementOutcome outcome;
    {
      const Watchdog::Watch watch(reads_.dog(), connection().socket(), connection().thread_id(),
                                  context);
      // All rows are received: a connection that is given up would take the transaction with it.
      outcome = run_write(connection(), statement.sql, query, reads_.database(), &patient,
                          reads_.dog(), watch, context);
    }
    out = std::move(outcome.run);
    if (patient.error() && !out.error) out.error = std::move(patient.error());
    if (!outcome.is_clean) {
      return drop(out.error ? *out.error
                            : Error{ErrorCode::Unavailable, "the connection was lost"});
    }
    HELVE_TRY(roll_back_to(savepoint, context));
    if (out.error) return *out.error;
    return {};
  }

  std::optional<Pool<Connection>::Lease> lease_;  // none: it is over
  const ReadSide& reads_;
  bool has_begun_ = false;
  bool has_defined_ = false;
  bool is_over_ = false;
  std::string over_;               // why
  std::vector<std::size_t> kept_;  // savepoints of the runs that succeeded
  std::size_t next_savepoint_ = 0;
};

}  // namespace

Result<void> set_up_to_write(Connection& connection) {
  HELVE_TRY(connection.ask(
      "SET SESSION sql_mode = 'IGNORE_SPACE,STRICT_ALL_TABLES,STRICT_TRANS_TABLES,"
      "ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION', "
      "time_zone = '+00:00', autocommit = 0, foreign_key_checks = 1, unique_checks = 1, "
      "sql_safe_updates = 0, group_concat_max_len = 1048576, wait_timeout = 180"));
  HELVE_TRY(connection.ask("SET SESSION TRANSACTION READ WRITE"));
  HELVE_ASSIGN(
      const auto settings,
      connection.ask("SELECT @@sql_mode, @@time_zone, @@autocommit, @@foreign_key_checks"));
  const bool has_row = settings.size() == 1 && settings.front().size() == 4;
  const auto has_mode = [&](std::string_view mode) {
    return settings.front()[0].value_or("").find(mode) != std::string::npos;
  };
  const bool is_good = has_row && has_mode("STRICT_ALL_TABLES") && has_mode("IGNORE_SPACE") &&
                       !has_mode("ANSI_QUOTES") && !has_mode("NO_BACKSLASH") &&
                       settings.front()[1] == "+00:00" && settings.front()[2] == "0" &&
                       settings.front()[3] == "1";
  if (is_good) return {};
  return Error{ErrorCode::Unavailable, "the server does not keep the settings of a session",
               "statements are sent only where sessions can be made strict; a proxy before the "
               "server may stand in the way"};
}

std::unique_ptr<WriteTransaction> make_transaction(Pool<Connection>::Lease lease,
                                                   const ReadSide& reads) {
  return std::make_unique<MysqlTransaction>(std::move(lease), reads);
}

}  // namespace helve::sql::mysql
