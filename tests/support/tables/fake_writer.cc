#include "tests/support/tables/fake_writer.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"
#include "sources/write_shape.h"

namespace helve::testing {

namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using DatabasePtr = std::unique_ptr<sqlite3, Close>;
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, Finalize>;

Error error_of(sqlite3* database) {
  return Error(ErrorCode::InvalidInput, "it does not run", "mend the statement")
      .with_detail(sqlite3_errmsg(database));
}

Result<StatementPtr> prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  StatementPtr owned(statement);
  if (code != SQLITE_OK || statement == nullptr) return error_of(database);
  return owned;
}

void execute(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message);
  HELVE_CHECK(code == SQLITE_OK);
}

SqlValue value_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return integer_value(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return double_value(sqlite3_column_double(statement, column));
    case SQLITE_NULL:
      return null_value();
    default:
      return text_value(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)));
  }
}

DatabasePtr load(const std::vector<FakeTable>& tables) {
  sqlite3* opened = nullptr;
  HELVE_CHECK(sqlite3_open(":memory:", &opened) == SQLITE_OK);
  DatabasePtr database(opened);
  for (const FakeTable& table : tables) {
    std::string columns;
    for (const ColumnInfo& column : table.info.columns) {
      columns += (columns.empty() ? "\"" : ", \"") + column.name + "\" " + column.type;
    }
    if (!table.info.primary_key.empty()) {
      columns += fmt::format(", PRIMARY KEY ({})", fmt::join(table.info.primary_key, ", "));
    }
    execute(opened, fmt::format("CREATE TABLE \"{}\" ({})", table.info.name, columns));
    for (const auto& row : table.rows) {
      std::string values;
      for (const SqlValue& value : row) values += (values.empty() ? "" : ", ") + literal_of(value);
      execute(opened, fmt::format("INSERT INTO \"{}\" VALUES ({})", table.info.name, values));
    }
  }
  return database;
}

// The tables as they are now; those that are known keep what the catalogue says of them.
std::vector<FakeTable> unload(sqlite3* database, const std::vector<FakeTable>& known) {
  std::vector<FakeTable> tables;
  const auto names =
      prepare(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid");
  while (sqlite3_step(names->get()) == SQLITE_ROW) {
    const std::string name = value_at(names->get(), 0)->value;
    const auto old = std::find_if(known.begin(), known.end(),
                                  [&](const FakeTable& table) { return table.info.name == name; });
    FakeTable table;
    table.info = old != known.end() ? old->info : table_info(name, "");
    const auto rows = prepare(database, fmt::format("SELECT * FROM \"{}\"", name));
    const int columns = sqlite3_column_count(rows->get());
    for (int i = static_cast<int>(table.info.columns.size()); i < columns; ++i) {
      ColumnInfo column;
      column.name = sqlite3_column_name(rows->get(), i);
      table.info.columns.push_back(std::move(column));
    }
    while (sqlite3_step(rows->get()) == SQLITE_ROW) {
      std::vector<SqlValue>& row = table.rows.emplace_back();
      for (int i = 0; i < columns; ++i) row.push_back(value_at(rows->get(), i));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

bool names_any(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& one) { return is_same_in_any_case(one, name); });
}

Result<void> check_rules(const TableRules* rules, const WriteShape& shape) {
  if (rules == nullptr) return {};
  bool is_denied = names_any(rules->denied_tables, shape.table) ||
                   (rules->allowed_tables && !names_any(*rules->allowed_tables, shape.table));
  for (const std::string& column : shape.columns) {
    is_denied = is_denied || names_any(rules->denied_columns, shape.table + "." + column);
  }
  if (!is_denied) return {};
  return Error{ErrorCode::Denied, "the policy does not allow it", "ask for another"};
}

class FakeTransaction final : public WriteTransaction {
 public:
  explicit FakeTransaction(const FakeWriter& writer)
      : writer_(writer), known_(writer.tables().content()), database_(load(*known_)) {
    execute(database_.get(), "BEGIN");
    ++writer_.counts().begun;
    ++writer_.counts().open;
  }
  ~FakeTransaction() override { --writer_.counts().open; }

  WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) override {
    WriteRun run;
    ++writer_.counts().ran;
    if (write.rules == nullptr) ++writer_.counts().without_rules;
    run.error = start(context);
    if (!run.error) run.error = writer_.behaviour.run_error;
    if (run.error) return run;
    const std::string point = fmt::format("s{}", points_.size());
    execute(database_.get(), "SAVEPOINT " + point);
    const int before = sqlite3_total_changes(database_.get());
    if (auto ended = step_all(write, returned); !ended) {
      execute(database_.get(), fmt::format("ROLLBACK TO {0}; RELEASE {0}", point));
      run.error = std::move(ended).error();
      run.problem = problem_of(*run.error);
      return run;
    }
    points_.push_back(point);
    const auto shape = read_write_shape(write.sql, writer_.tables().dialect());
    const bool counts = shape && shape->kind != WriteKind::Definition;
    if (counts && !writer_.behaviour.hides_affected) {
      run.affected = static_cast<std::uint64_t>(sqlite3_total_changes(database_.get()) - before);
      if (writer_.behaviour.affected) run.affected = writer_.behaviour.affected;
      run.besides = writer_.behaviour.besides;
    }
    if (writer_.behaviour.stops_at && run.affected > writer_.behaviour.stops_at) {
      execute(database_.get(), fmt::format("ROLLBACK TO {0}; RELEASE {0}", point));
      points_.pop_back();
      run.error = Error{ErrorCode::LimitExceeded, "more rows would be changed than may be"};
      run.is_too_much = true;
      return run;
    }
    if (!writer_.behaviour.can_roll_back) publish();
    return run;
  }

  Result<void> undo(const OpContext& context) override {
    ++writer_.counts().undone;
    if (auto error = start(context)) return *error;
    if (writer_.behaviour.fails_undo) return Error{ErrorCode::Unavailable, "the undo failed"};
    HELVE_CHECK(!points_.empty());
    execute(database_.get(), fmt::format("ROLLBACK TO {0}; RELEASE {0}", points_.back()));
    points_.pop_back();
    return {};
  }

  TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) override {
    TableRun run;
    ++writer_.counts().read;
    if (query.rules == nullptr) ++writer_.counts().without_rules;
    run.error = start(context);
    if (run.error) return run;
    const auto sql = with_literals(query, writer_.tables().dialect());
    auto statement = sql ? prepare(database_.get(), *sql) : Result<StatementPtr>(sql.error());
    if (!statement) {
      run.error = std::move(statement).error();
      return run;
    }
    HELVE_CHECK(sqlite3_stmt_readonly(statement->get()) != 0);
    if (auto sent = send(statement->get(), &sink, query.rows_max); !sent) run.error = sent.error();
    return run;
  }

  CommitOutcome commit(const OpContext& context) override {
    CommitOutcome outcome;
    outcome.error = start(context);
    is_over_ = true;
    if (!outcome.error) outcome.error = writer_.behaviour.commit_error;
    if (outcome.error) return outcome;
    publish();
    ++writer_.counts().committed;
    if (writer_.behaviour.loses_commit) {
      outcome.is_unknown = true;
      outcome.error = Error{ErrorCode::Unavailable, "the connection was lost"};
    }
    return outcome;
  }

  Result<void> roll_back(const OpContext& /*context*/) override {
    is_over_ = true;
    ++writer_.counts().rolled_back;
    if (writer_.behaviour.fails_roll_back) {
      return Error{ErrorCode::Unavailable, "the rollback failed"};
    }
    return {};
  }

 private:
  std::optional<Error> start(const OpContext& context) {
    if (is_over_) return Error{ErrorCode::Unavailable, "the transaction is over"};
    if (auto ready = context.check(); !ready) {
      is_over_ = true;
      return ready.error();
    }
    return std::nullopt;
  }

  void publish() {
    writer_.tables().set_content(unload(database_.get(), *known_));
    writer_.tables().set_fingerprint(fmt::format("fake-{}", writer_.counts().committed + 100));
  }

  Result<void> step_all(const TableWrite& write, RowSink* returned) {
    TableQuery query;
    query.sql = write.sql;
    query.parameters = write.parameters;
    HELVE_ASSIGN(const std::string sql, with_literals(query, writer_.tables().dialect()));
    HELVE_ASSIGN(const StatementPtr statement, prepare(database_.get(), sql));
    return send(statement.get(), returned, write.rows_max);
  }

  Result<void> send(sqlite3_stmt* statement, RowSink* sink, std::uint64_t rows_max) {
    const int columns = sqlite3_column_count(statement);
    std::vector<std::string> names;
    for (int i = 0; i < columns; ++i) names.emplace_back(sqlite3_column_name(statement, i));
    if (sink != nullptr && columns > 0) HELVE_TRY(sink->columns(names));
    std::uint64_t rows = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (sink == nullptr || rows++ >= rows_max) continue;
      std::vector<SqlValue> values;
      for (int i = 0; i < columns; ++i) values.push_back(value_at(statement, i));
      std::vector<std::optional<rdf::TermView>> views;
      for (const SqlValue& value : values) {
        views.push_back(value ? std::optional(value->view()) : std::nullopt);
      }
      HELVE_TRY(sink->row(views));
    }
    if (code != SQLITE_DONE) return error_of(database_.get());
    return {};
  }

  const FakeWriter& writer_;
  FakeContent known_;
  DatabasePtr database_;
  std::vector<std::string> points_;
  bool is_over_ = false;
};

}  // namespace

Result<WriteOutline> FakeWriter::examine(const TableWrite& write, SqlProblem& problem,
                                         const OpContext& context) const {
  ++counts_.examined;
  if (write.rules == nullptr) ++counts_.without_rules;
  HELVE_TRY(context.check());
  HELVE_ASSIGN(const WriteShape shape, read_write_shape(write.sql, tables_.dialect()));
  HELVE_TRY(check_rules(write.rules.get(), shape));
  if (shape.has_returning && !behaviour.has_returning) {
    return Error{ErrorCode::InvalidInput, "syntax error near RETURNING"};
  }
  TableQuery query;
  query.sql = write.sql;
  query.parameters = write.parameters;
  HELVE_ASSIGN(const std::string sql, with_literals(query, tables_.dialect()));
  const DatabasePtr database = load(*tables_.content());
  if (auto prepared = prepare(database.get(), sql); !prepared) {
    problem = problem_of(prepared.error());
    return std::move(prepared).error();
  }
  WriteOutline outline;
  outline.kind = shape.kind;
  outline.verb = shape.verb;
  outline.table = shape.table;
  outline.can_roll_back = behaviour.can_roll_back;
  outline.can_try = behaviour.can_try;
  outline.estimated_rows = behaviour.estimated_rows;
  outline.notes = behaviour.notes;
  if (shape.verb == "DROP TABLE" || shape.verb.starts_with("TRUNCATE")) {
    outline.rewritten.push_back({"", shape.table});
  }
  return outline;
}

Result<std::unique_ptr<WriteTransaction>> FakeWriter::begin(const OpContext& context) const {
  HELVE_TRY(context.check());
  if (behaviour.before_begin) behaviour.before_begin();
  return std::unique_ptr<WriteTransaction>(std::make_unique<FakeTransaction>(*this));
}

}  // namespace helve::testing
