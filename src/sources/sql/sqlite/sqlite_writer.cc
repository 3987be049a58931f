#include "sources/sql/sqlite/sqlite_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql/sqlite/sqlite_values.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

constexpr std::uint64_t kReturnedBytesMax = 64 * kMiB;
constexpr Duration kTimeToRollBack = std::chrono::milliseconds(200);
constexpr Duration kTimeToRecover = std::chrono::milliseconds(250);

class NoRows final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row) override { return {}; }
};

// A request with what its views show.
struct Request {
  explicit Request(SqliteFrame frame) { run.request = frame; }

  void take(const std::string& sql, const std::vector<SqlValue>& parameters,
            const TableRules* table_rules) {
    run.sql = sql;
    if (table_rules != nullptr && table_rules->is_any()) rules = encode_rules(*table_rules);
    run.rules = rules;
    kept.resize(parameters.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      run.parameters.push_back(parameter_of(parameters[i], kept[i]));
    }
  }

  SqliteRun run;
  std::string rules;
  std::vector<std::string> kept;
};

// DROP TABLE, and ALTER TABLE ... DROP COLUMN, which writes all rows anew.
bool takes_rows(const WriteShape& shape, std::string_view sql) {
  if (shape.verb == "DROP TABLE") return true;
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (shape.verb != "ALTER TABLE" || !tokens) return false;
  const auto part = std::find_if(tokens->begin(), tokens->end(), [&](const SqlToken& token) {
    return token.begin >= shape.target.end;
  });
  return part != tokens->end() && is_word(*part, "DROP");
}

Error over(const std::string& how) {
  return {ErrorCode::Unavailable, "the transaction is over: " + how, "begin another"};
}

class SqliteTransaction final : public WriteTransaction {
 public:
  SqliteTransaction(const SqliteWriter& writer, std::unique_ptr<SqliteClient> client, Env& env)
      : writer_(writer), env_(env), client_(std::move(client)) {}
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction() override {
    if (client_ == nullptr) return;
    OpContext brief;
    brief.deadline = Deadline(env_.clock(), kTimeToRollBack);
    (void)roll_back(brief);
  }

  WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) override;
  Result<void> undo(const OpContext& context) override { return order(SqliteFrame::Undo, context); }
  TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) override;
  CommitOutcome commit(const OpContext& context) override;
  Result<void> roll_back(const OpContext& context) override;

 private:
  SqliteAnswer ask(const SqliteRun& run, RowSink& sink, const OpContext& context);
  Result<void> order(SqliteFrame frame, const OpContext& context);
  void end(std::string how, bool is_clean);

  const SqliteWriter& writer_;
  Env& env_;
  std::unique_ptr<SqliteClient> client_;  // null: it is over
  std::string how_it_ended_;
};

// Without its worker a transaction is rolled back: at once, or by who opens the file next.
void SqliteTransaction::end(std::string how, bool is_clean) {
  how_it_ended_ = std::move(how);
  client_.reset();
  if (is_clean) return;
  OpContext brief;
  brief.deadline = Deadline(env_.clock(), kTimeToRecover);
  writer_.recover(brief);
}

SqliteAnswer SqliteTransaction::ask(const SqliteRun& run, RowSink& sink, const OpContext& context) {
  SqliteAnswer answer;
  if (client_ == nullptr) {
    answer.error = over(how_it_ended_);
    return answer;
  }
  answer = client_->ask(run, sink, context);
  // Whatever is left of an answer that is not whole, it is not known what was done.
  if (!answer.is_whole || answer.is_over) end("it was rolled back", answer.is_whole);
  return answer;
}

Result<void> SqliteTransaction::order(SqliteFrame frame, const OpContext& context) {
  NoRows none;
  SqliteAnswer answer = ask(Request(frame).run, none, context);
  if (answer.error) return *std::move(answer.error);
  return {};
}

WriteRun SqliteTransaction::run(const TableWrite& write, RowSink* returned,
                                const OpContext& context) {
  WriteRun outcome;
  if (auto shape = sqlite_write_shape(write.sql); !shape) {
    outcome.error = std::move(shape).error();
    return outcome;
  }
  Request request(SqliteFrame::Write);
  request.take(write.sql, write.parameters, write.rules.get());
  request.run.rows_max = returned != nullptr ? write.rows_max : 0;
  request.run.changes_max = write.changes_max;
  request.run.bytes_max = kReturnedBytesMax;
  NoRows none;
  SqliteAnswer answer = ask(request.run, returned != nullptr ? *returned : none, context);
  if (answer.error) {
    outcome.error = std::move(answer.error);
    outcome.problem = problem_of(*outcome.error, write.sql);
    return outcome;
  }
  if (answer.changed->is_too_much) {
    outcome.error = Error{ErrorCode::LimitExceeded, "more rows would be changed than may be"};
    outcome.is_too_much = true;
    return outcome;
  }
  outcome.affected = answer.changed->affected;
  outcome.besides = answer.changed->besides;
  outcome.notes = std::move(answer.changed->notes);
  for (std::string& note : answer.notes) outcome.notes.push_back(std::move(note));
  if (answer.has_more && returned != nullptr) {
    outcome.notes.emplace_back("RETURNING gave more rows than were taken");
  }
  return outcome;
}

TableRun SqliteTransaction::read(const TableQuery& query, RowSink& sink, const OpContext& context) {
  TableRun outcome;
  if (auto checked = check_sqlite_statement(query.sql); !checked) {
    outcome.error = std::move(checked).error();
    return outcome;
  }
  Request request(SqliteFrame::Run);
  request.take(query.sql, query.parameters, query.rules.get());
  request.run.rows_max = query.rows_max;
  request.run.bytes_max = query.bytes_max;
  SqliteAnswer answer = ask(request.run, sink, context);
  outcome.rows = answer.rows;
  outcome.has_more = answer.has_more;
  outcome.column_types = std::move(answer.column_types);
  outcome.notes = std::move(answer.notes);
  outcome.error = std::move(answer.error);
  if (outcome.error) outcome.problem = problem_of(*outcome.error, query.sql);
  return outcome;
}

CommitOutcome SqliteTransaction::commit(const OpContext& context) {
  CommitOutcome outcome;
  if (client_ == nullptr) {
    outcome.error = over(how_it_ended_);
    return outcome;
  }
  // Nothing is sent where the time is over already: then it is known that nothing was committed.
  if (auto checked = context.check(); !checked) {
    end("it was rolled back", false);
    outcome.error = std::move(checked).error();
    return outcome;
  }
  NoRows none;
  SqliteAnswer answer = client_->ask(Request(SqliteFrame::Commit).run, none, context);
  outcome.error = std::move(answer.error);
  outcome.is_unknown = outcome.error && !answer.is_whole;
  end(outcome.error ? "its commit failed" : "it was committed", answer.is_whole);
  return outcome;
}

Result<void> SqliteTransaction::roll_back(const OpContext& context) {
  if (client_ == nullptr) return over(how_it_ended_);
  const auto outcome = order(SqliteFrame::RollBack, context);
  // Where the worker did not do it, it is killed, which does the same.
  if (client_ != nullptr) end("it was rolled back", outcome.has_value());
  return {};
}

}  // namespace

SqliteWriter::SqliteWriter(const DatabaseOptions& options, std::string path, Env& env)
    : options_(options),
      path_(std::move(path)),
      env_(env),
      examiners_({options.connections_max, options.acquire_timeout, options.idle_max}) {}

Result<std::unique_ptr<SqliteClient>> SqliteWriter::start(sqlite::FileUse use) const {
  return SqliteClient::start(options_.worker_command, {path_, false, kSqliteMemoryBytesMax, use},
                             env_);
}

Result<WriteOutline> SqliteWriter::examine(const TableWrite& write, SqlProblem& problem,
                                           const OpContext& context) const {
  problem = {};
  HELVE_ASSIGN(const WriteShape shape, sqlite_write_shape(write.sql));
  Request request(SqliteFrame::Write);
  request.take(write.sql, write.parameters, write.rules.get());
  request.run.is_plan = true;
  NoRows none;
  HELVE_ASSIGN(auto lease, examiners_.acquire(context));
  for (bool is_again = false;; is_again = true) {
    const bool is_used = lease.has_connection();
    if (!is_used) {
      HELVE_ASSIGN(auto client, start(sqlite::FileUse::Examine));
      lease.set(std::move(client));
    }
    SqliteAnswer answer = lease->ask(request.run, none, context);
    if (!answer.is_whole) lease.drop();
    if (!answer.error) {
      WriteOutline outline;
      outline.kind = answer.changed->kind;
      outline.verb = shape.verb;
      outline.table = std::move(answer.changed->table);
      outline.notes = std::move(answer.changed->notes);
      if (takes_rows(shape, write.sql)) outline.rewritten.push_back({"", outline.table});
      return outline;
    }
    const bool is_gone = answer.error->code == ErrorCode::Unavailable && !is_again &&
                         ((is_used && !answer.is_whole && !answer.has_begun) || recover(context));
    if (is_gone) continue;
    problem = problem_of(*answer.error, write.sql);
    return *std::move(answer.error);
  }
}

Result<std::unique_ptr<WriteTransaction>> SqliteWriter::begin(const OpContext& context) const {
  HELVE_TRY(context.check());
  HELVE_ASSIGN(auto client, start(sqlite::FileUse::Write));
  NoRows none;
  SqliteAnswer answer = client->ask(Request(SqliteFrame::Begin).run, none, context);
  if (answer.error) {
    client.reset();
    return *std::move(answer.error);
  }
  return std::make_unique<SqliteTransaction>(*this, std::move(client), env_);
}

bool SqliteWriter::recover(const OpContext& context) const {
  if (!env_.files().status(path_ + "-journal")) return false;
  auto client = start(sqlite::FileUse::Write);
  if (!client) return false;
  NoRows none;
  return !(*client)->ask(Request(SqliteFrame::RollBack).run, none, context).error;
}

}  // namespace helve::sql
