#include "sources/sql/sqlite/sqlite_changer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql/sqlite/sqlite_protocol.h"

namespace helve::sql {

namespace {

// A transaction makes the file larger by so much at most: a statement must not fill the disk.
constexpr std::int64_t kGrowthBytesMax = std::int64_t{1} << 30;
constexpr std::uint32_t kRunsMax = 1'000;

std::string savepoint(std::uint32_t number) { return fmt::format("helve_{}", number); }

Error refused(sqlite::ReadRefusal refusal, const char* otherwise) {
  if (refusal.hint.empty()) refusal.hint = otherwise;
  return {ErrorCode::Denied, std::move(refusal.why), std::move(refusal.hint)};
}

}  // namespace

Result<std::unique_ptr<SqliteChanger>> SqliteChanger::open(const sqlite::FileOptions& options,
                                                           const OpContext& context) {
  std::unique_ptr<SqliteChanger> changer(new SqliteChanger);
  changer->is_writable_ = options.use == sqlite::FileUse::Write;
  sqlite::FilePermits permits = sqlite_permits();
  // Triggers use them: they tell of this connection alone.
  permits.functions.insert({"changes", "last_insert_rowid", "total_changes"});
  HELVE_ASSIGN(changer->database_,
               sqlite::FileDatabase::open(options, std::move(permits), context));
  return changer;
}

Result<void> SqliteChanger::check_running() const {
  if (is_begun_ && !is_over_) return {};
  return Error{ErrorCode::Unavailable,
               is_over_ ? "the transaction is over" : "no transaction has been begun",
               "begin anew"};
}

Result<void> SqliteChanger::begin(const OpContext& context) {
  if (is_begun_ || !is_writable_) {
    return Error{ErrorCode::Internal, "no transaction can be begun on this connection"};
  }
  HELVE_TRY(set_reading(false, context));
  if (auto begun = database_->execute("BEGIN IMMEDIATE", context); !begun) {
    if (!database_->was_locked()) return begun;
    return Error{ErrorCode::Unavailable, "another process is writing to the database",
                 "call again in a moment"};
  }
  is_begun_ = true;
  auto bounded = bound_growth(context);
  if (!bounded) (void)roll_back();
  return bounded;
}

Result<std::int64_t> SqliteChanger::number_of(std::string_view sql, const OpContext& context) {
  HELVE_ASSIGN(const auto statement,
               database_->prepare(sql, context, sqlite::StatementOrigin::Ours));
  HELVE_ASSIGN(const bool has_row, statement->step());
  sqlite::Value value;
  if (has_row) statement->row({&value, 1});
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return Error{ErrorCode::Unavailable, "SQLite does not tell its sizes"};
  return *number;
}

Result<void> SqliteChanger::bound_growth(const OpContext& context) {
  HELVE_ASSIGN(const std::int64_t pages, number_of("PRAGMA page_count", context));
  HELVE_ASSIGN(const std::int64_t size, number_of("PRAGMA page_size", context));
  const std::int64_t most = pages + kGrowthBytesMax / std::max<std::int64_t>(size, 512);
  return database_->execute(fmt::format("PRAGMA max_page_count = {}", most), context);
}

// A statement that reads cannot write by anything that the judge did not see.
Result<void> SqliteChanger::set_reading(bool is_reading, const OpContext& context) {
  if (is_reading == is_reading_) return {};
  HELVE_TRY(database_->execute(is_reading ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF",
                               context));
  is_reading_ = is_reading;
  return {};
}

void SqliteChanger::judge_by_rules() {
  database_->set_judge([this](std::string_view table, std::string_view column,
                              std::string_view inside) -> std::optional<sqlite::ReadRefusal> {
    if (rules_ == nullptr)
      return sqlite::ReadRefusal{"the policy of this source cannot be read", ""};
    return rules_->judge_read(table, column, inside);
  });
  database_->set_change_judge(
      [this](const sqlite::FileChange& change) -> std::optional<sqlite::ReadRefusal> {
        if (rules_ == nullptr)
          return sqlite::ReadRefusal{"the policy of this source cannot be read", ""};
        return rules_->judge(change);
      });
}

Result<void> SqliteChanger::apply_rules(std::string_view bytes, const OpContext& context) {
  HELVE_ASSIGN(const bool is_changed, database_->schema_changed(context));
  if (rules_ != nullptr && !is_changed && bytes == rules_bytes_) return {};
  rules_.reset();
  judge_by_rules();
  TableRules rules;
  if (!bytes.empty()) {
    auto decoded = decode_rules(bytes);
    if (!decoded) return Error{ErrorCode::Internal, "the policy of this source cannot be read"};
    rules = *std::move(decoded);
  }
  HELVE_TRY(database_->connect_tables(context));
  HELVE_ASSIGN(SqliteNames names, read_sqlite_names(*database_, context));
  rules_ = std::make_unique<ChangeRules>(rules, !bytes.empty(), std::move(names));
  database_->set_covering_scans(rules_->reads().hidden_index_pages().empty());
  rules_bytes_ = bytes;
  return {};
}

Result<std::unique_ptr<sqlite::FileStatement>> SqliteChanger::prepare_read(
    std::string_view sql, std::string_view rules, const OpContext& context) {
  HELVE_TRY(check_running());
  // Search indexes write down what they keep in memory, which reading would do otherwise.
  HELVE_TRY(set_reading(false, context));
  HELVE_TRY(database_->execute("SAVEPOINT helve_read", context));
  HELVE_TRY(database_->execute("RELEASE helve_read", context));
  HELVE_TRY(set_reading(true, context));
  HELVE_TRY(apply_rules(rules, context));
  if (auto refusal = rules_->begin_read(sql)) {
    return refused(*std::move(refusal), sqlite::kReadHint);
  }
  HELVE_ASSIGN(auto statement, database_->prepare(sql, context, sqlite::StatementOrigin::Caller));
  HELVE_TRY(check_index_order(*database_, rules_->reads(), sql, context));
  return statement;
}

// A view is not looked into when it is made: what it reads is judged here.
Result<void> SqliteChanger::check_view(std::string_view sql, const OpContext& context) {
  const std::string_view body = view_body(sql);
  if (body.empty()) {
    return Error{ErrorCode::InvalidInput, "this is no view that SQLite has",
                 "write CREATE VIEW name AS SELECT ..."};
  }
  if (auto refusal = rules_->begin_read(body)) {
    return refused(*std::move(refusal), sqlite::kChangeHint);
  }
  auto compiled = database_->prepare(body, context, sqlite::StatementOrigin::Caller);
  if (compiled) return {};
  Error error = std::move(compiled).error();
  error.position.reset();  // of the body
  return error;
}

Result<std::unique_ptr<sqlite::FileStatement>> SqliteChanger::prepare_change(
    std::string_view sql, std::string_view rules, const OpContext& context) {
  HELVE_ASSIGN(const WriteShape shape, sqlite_write_shape(sql));
  HELVE_TRY(apply_rules(rules, context));
  if (shape.verb == "CREATE VIEW") HELVE_TRY(check_view(sql, context));
  for (bool is_again = false;; is_again = true) {
    if (auto refusal = rules_->begin(sql, shape)) {
      return refused(*std::move(refusal), sqlite::kChangeHint);
    }
    auto statement = database_->prepare(sql, context, sqlite::StatementOrigin::Change);
    if (statement) {
      // An INSERT may number rows in the order in which it reads them. Of other changes nobody sees
      // an order.
      if (shape.kind == WriteKind::Insert || shape.kind == WriteKind::Replace) {
        HELVE_TRY(check_index_order(*database_, rules_->reads(), sql, context));
      }
      HELVE_ASSIGN(outline_, rules_->outline());
      if (outline_.replaces && !sqlite::counts_replaced_rows()) {
        return Error{ErrorCode::Denied,
                     "rows would be replaced, which this build of SQLite does not count",
                     "write UPDATE, or DELETE and INSERT"};
      }
      return statement;
    }
    // Virtual tables may have to be connected anew, which is no business of the rules.
    if (is_again || statement.error().code != ErrorCode::Denied) return statement;
    HELVE_TRY(database_->connect_tables(context));
  }
}

Result<void> SqliteChanger::start(std::uint64_t changes_max) {
  HELVE_TRY(check_running());
  if (savepoints_ == kRunsMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("a transaction takes {} statements at most", kRunsMax),
                 "commit, and begin another"};
  }
  const OpContext always;
  HELVE_TRY(set_reading(false, always));
  HELVE_TRY(database_->execute("SAVEPOINT " + savepoint(savepoints_ + 1), always));
  ++savepoints_;
  // A statement that is stopped takes the whole transaction with it.
  const bool is_first = savepoints_ == 1;
  database_->count_changes(is_first ? std::optional(changes_max) : std::nullopt);
  return {};
}

void SqliteChanger::undo_stopped(const OpContext& context) {
  rules_.reset();
  savepoints_ = 0;
  (void)roll_back();
  is_begun_ = is_over_ = false;
  is_over_ = !begin(context);
}

Error SqliteChanger::undo_failed(Error error, const OpContext& context) {
  rules_.reset();
  // ALTER TABLE tells of definitions that it breaks, of which the rules may hide some.
  if (!rules_bytes_.empty() && error.detail.starts_with("error in ")) {
    error.message = "other definitions of the database refer to what would be altered";
    error.detail.clear();
  }
  // Some errors, and RAISE(ROLLBACK), end the transaction.
  const bool is_ended = !database_->is_in_transaction();
  if (is_ended || !context.check() || !undo()) (void)roll_back();
  return error;
}

Result<void> SqliteChanger::undo() {
  HELVE_TRY(check_running());
  if (savepoints_ == 0) return Error{ErrorCode::InvalidInput, "there is nothing to undo"};
  rules_.reset();
  HELVE_TRY(set_reading(false, OpContext()));
  const std::string name = savepoint(savepoints_);
  const OpContext always;  // half of it would be worse than late
  auto undone = database_->execute("ROLLBACK TO " + name, always);
  if (undone) undone = database_->execute("RELEASE " + name, always);
  if (undone) {
    --savepoints_;
  } else {
    (void)roll_back();
  }
  return undone;
}

Result<void> SqliteChanger::commit(const OpContext& context) {
  HELVE_TRY(check_running());
  auto committed = set_reading(false, context);
  if (committed) committed = database_->execute("COMMIT", context);
  if (!committed) {
    Error error = std::move(committed).error();
    if (database_->was_locked()) {
      error = {ErrorCode::Unavailable, "others are reading the database, which a commit waits for",
               "call again in a moment"};
    }
    (void)roll_back();
    error.message += "; everything was rolled back";
    return error;
  }
  is_over_ = true;
  return {};
}

Result<void> SqliteChanger::roll_back() {
  is_over_ = is_begun_;
  if (!database_->is_in_transaction()) return {};
  return database_->execute("ROLLBACK", OpContext());
}

}  // namespace helve::sql
