#include "base/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/sqlite_handles.h"
#include "base/sqlite_sums.h"
#include "base/sqlite_table.h"
#include "base/utf8.h"

namespace helve::sqlite {

namespace {

constexpr int kOperationsPerCheck = 200;

class OpenDatabase;

class OpenStatement final : public Statement {
 public:
  OpenStatement(OpenDatabase& database, StatementPtr statement)
      : database_(database), statement_(std::move(statement)) {}

  std::size_t columns() const override {
    return static_cast<std::size_t>(sqlite3_column_count(statement_.get()));
  }
  std::string name(std::size_t column) const override {
    const char* name = sqlite3_column_name(statement_.get(), static_cast<int>(column));
    return name != nullptr ? name : "";
  }
  std::optional<ColumnOrigin> origin(std::size_t column) const override {
    const char* table = sqlite3_column_table_name(statement_.get(), static_cast<int>(column));
    const char* name = sqlite3_column_origin_name(statement_.get(), static_cast<int>(column));
    if (table == nullptr || name == nullptr) return std::nullopt;
    return ColumnOrigin{table, name};
  }
  Result<bool> step() override;
  Value value(std::size_t column) const override {
    return value_of(sqlite3_column_value(statement_.get(), static_cast<int>(column)));
  }

 private:
  OpenDatabase& database_;
  StatementPtr statement_;
};

class OpenDatabase final : public Database {
 public:
  Result<void> open(const DatabaseLimits& limits);
  Result<void> add_table(const std::string& name, std::shared_ptr<const Table> table) override;
  Result<void> lock(ReadRules rules) override;
  Result<std::unique_ptr<Statement>> prepare(std::string_view sql,
                                             const OpContext& context) override;
  Error error(int outcome) const;

 private:
  static int authorize(void* self, int action, const char* first, const char* second,
                       const char* database, const char* inner);
  static int check_progress(void* self);
  int judge(int action, std::string_view first, std::string_view second);
  int deny(std::string what);
  bool is_of_sqlite(std::string_view table) const;
  Result<void> execute(const std::string& sql);
  Error syntax_error(int outcome, std::string_view sql) const;

  TablesByName tables_;  // outlives the connection
  ReadRules rules_;
  std::set<std::string, std::less<>> modules_;  // of which some are tables without being made
  std::string denied_;                          // what the last statement wanted and may not
  std::optional<Error> interrupted_;
  const OpContext* context_ = nullptr;
  DatabasePtr database_;
};

Result<bool> OpenStatement::step() {
  const int outcome = sqlite3_step(statement_.get());
  if (outcome == SQLITE_ROW) return true;
  if (outcome == SQLITE_DONE) return false;
  return database_.error(outcome);
}

Result<void> OpenDatabase::open(const DatabaseLimits& limits) {
  sqlite3* opened = nullptr;
  const int outcome =
      sqlite3_open_v2(":memory:", &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (outcome != SQLITE_OK) return error(outcome);
  sqlite3_extended_result_codes(opened, 1);
  const auto set_limit = [opened](int what, std::size_t value) {
    sqlite3_limit(opened, what, static_cast<int>(std::min<std::size_t>(value, INT32_MAX)));
  };
  set_limit(SQLITE_LIMIT_LENGTH, limits.value_bytes_max);
  set_limit(SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes_max);
  set_limit(SQLITE_LIMIT_EXPR_DEPTH, 200);
  set_limit(SQLITE_LIMIT_COMPOUND_SELECT, 100);
  set_limit(SQLITE_LIMIT_VDBE_OP, 1'000'000);
  set_limit(SQLITE_LIMIT_FUNCTION_ARG, 100);
  set_limit(SQLITE_LIMIT_ATTACHED, 0);
  set_limit(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50);  // of GLOB: LIKE is our own
  set_limit(SQLITE_LIMIT_VARIABLE_NUMBER, 1'000);
  set_limit(SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  set_limit(SQLITE_LIMIT_WORKER_THREADS, 0);
  // With "text" in double quotes an unknown name would silently be a string.
  for (const int off : {SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL,
                        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                        SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER}) {
    sqlite3_db_config(opened, off, 0, nullptr);
  }
  HELVE_TRY(execute("PRAGMA temp_store = MEMORY"));  // nothing goes to the disk
  if (register_tables(opened, tables_) != SQLITE_OK || register_like(opened) != SQLITE_OK ||
      register_sums(opened) != SQLITE_OK) {
    return Error{ErrorCode::Internal, "SQLite does not take tables and functions of ours"};
  }
  return {};
}

Result<void> OpenDatabase::execute(const std::string& sql) {
  const int outcome = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return error(outcome);
  return {};
}

Result<void> OpenDatabase::add_table(const std::string& name, std::shared_ptr<const Table> table) {
  tables_[name] = std::move(table);
  auto added = execute(fmt::format("CREATE VIRTUAL TABLE {} USING helve", quoted_name(name)));
  if (!added) {
    tables_.erase(name);
    return std::move(added).error().restate(fmt::format("the table '{}' cannot be made", name));
  }
  return {};
}

Result<void> OpenDatabase::lock(ReadRules rules) {
  rules_ = std::move(rules);
  for (const auto& [name, table] : tables_) rules_.tables.insert(ascii_lower(name));
  // Functions that are tables come to be at their first use, which the rules would not allow.
  for (const std::string_view table : {"json_each", "json_tree"}) {
    if (rules_.tables.contains(table)) HELVE_TRY(execute(fmt::format("SELECT 1 FROM {}", table)));
  }
  for (const std::string& pragma : rules_.pragmas) {
    HELVE_TRY(execute(fmt::format("SELECT 1 FROM pragma_{}('x')", pragma)));
    rules_.tables.insert("pragma_" + pragma);
  }
  const auto note_module = [](void* self, int, char** values, char**) {
    static_cast<OpenDatabase*>(self)->modules_.insert(ascii_lower(values[0]));
    return 0;
  };
  if (sqlite3_exec(database_.get(), "PRAGMA module_list", note_module, this, nullptr) !=
          SQLITE_OK ||
      modules_.empty()) {
    return Error{ErrorCode::Internal, "SQLite does not tell its modules"};
  }
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_progress_handler(database_.get(), kOperationsPerCheck, check_progress, this);
  sqlite3_set_authorizer(database_.get(), authorize, this);
  return {};
}

int OpenDatabase::check_progress(void* self) {
  auto& database = *static_cast<OpenDatabase*>(self);
  if (database.context_ == nullptr) return 0;
  auto outcome = database.context_->check();
  if (outcome) return 0;
  database.interrupted_ = std::move(outcome).error();
  return 1;
}

int OpenDatabase::authorize(void* self, int action, const char* first, const char* second,
                            const char* /*database*/, const char* /*inner*/) {
  return static_cast<OpenDatabase*>(self)->judge(action, first != nullptr ? first : "",
                                                 second != nullptr ? second : "");
}

int OpenDatabase::deny(std::string what) {
  if (denied_.empty()) denied_ = std::move(what);
  return SQLITE_DENY;
}

bool OpenDatabase::is_of_sqlite(std::string_view table) const {
  const std::string name = ascii_lower(table);
  return name.starts_with("sqlite_") || name.starts_with("pragma_") || modules_.contains(name);
}

int OpenDatabase::judge(int action, std::string_view first, std::string_view second) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      if (rules_.tables.contains(ascii_lower(first))) return SQLITE_OK;
      // Of no column in particular: also of what the statement itself defines (WITH).
      if (second.empty() && !is_of_sqlite(first)) return SQLITE_OK;
      return deny(fmt::format("the table '{}' cannot be read", first));
    case SQLITE_FUNCTION:
      if (rules_.functions.contains(ascii_lower(second))) return SQLITE_OK;
      return deny(fmt::format("the function '{}' is not allowed", second));
    case SQLITE_PRAGMA:
      if (rules_.pragmas.contains(ascii_lower(first))) return SQLITE_OK;
      return deny(fmt::format("PRAGMA {} is not allowed", first));
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return deny("other databases cannot be attached or detached");
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return deny("transactions are not allowed");
    default:
      return deny("nothing can be written: only statements that read are allowed");
  }
}

Result<std::unique_ptr<Statement>> OpenDatabase::prepare(std::string_view sql,
                                                         const OpContext& context) {
  denied_.clear();
  interrupted_.reset();
  context_ = &context;
  if (sql.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::InvalidInput, "the SQL text has a NUL character"};
  }
  const std::string text(sql);  // ends with NUL
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  const int outcome = sqlite3_prepare_v3(database_.get(), text.c_str(),
                                         static_cast<int>(text.size()) + 1, 0, &made, &tail);
  StatementPtr statement(made);
  if (outcome != SQLITE_OK) return syntax_error(outcome, sql);
  if (statement == nullptr) {
    return Error{ErrorCode::InvalidInput, "there is no SQL statement",
                 "write one SELECT statement"};
  }
  HELVE_TRY(check_tail(database_.get(), tail, text.c_str() + text.size()));
  // VACUUM INTO is among what the authorizer does not see.
  if (sqlite3_stmt_readonly(statement.get()) == 0 || sqlite3_column_count(statement.get()) == 0) {
    return Error{ErrorCode::Denied, "only statements that read are allowed",
                 "write one SELECT statement"};
  }
  return std::make_unique<OpenStatement>(*this, std::move(statement));
}

Error OpenDatabase::error(int outcome) const {
  if (database_ == nullptr) return {ErrorCode::Internal, "SQLite cannot be started"};
  const auto told = [&](ErrorCode code, const char* message, const char* hint = "") {
    return Error(code, message, hint).with_detail(sqlite3_errmsg(database_.get()));
  };
  switch (outcome & 0xFF) {
    case SQLITE_AUTH: {
      const char* const hint = "write one SELECT statement over the tables there are";
      if (!denied_.empty()) return {ErrorCode::Denied, denied_, hint};
      return told(ErrorCode::Denied, "SQLite refuses the statement", hint);
    }
    case SQLITE_INTERRUPT:
      return interrupted_.value_or(Error{ErrorCode::Cancelled, "the operation was cancelled"});
    case SQLITE_NOMEM:
      return {ErrorCode::LimitExceeded, "the statement needs more memory than it may have",
              "join or sort less at once: filter first, or select fewer columns"};
    case SQLITE_TOOBIG:
      return told(ErrorCode::LimitExceeded, "a text or the statement is too long",
                  "make shorter texts, or a shorter statement");
    case SQLITE_ERROR:
      // Tables that are functions ask as they run.
      if (!denied_.empty()) return {ErrorCode::Denied, denied_};
      return told(ErrorCode::InvalidInput, "SQLite rejected the statement");
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_RANGE:
      return told(ErrorCode::InvalidInput, "invalid value for its type");
    default:
      return told(ErrorCode::Unavailable, "SQLite failed");
  }
}

Error OpenDatabase::syntax_error(int outcome, std::string_view sql) const {
  Error failure = error(outcome);
  const int offset = sqlite3_error_offset(database_.get());
  if (failure.code != ErrorCode::InvalidInput || offset < 0 ||
      static_cast<std::size_t>(offset) > sql.size()) {
    return failure;
  }
  const std::string_view before = sql.substr(0, static_cast<std::size_t>(offset));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view line = before.substr(line_start);
  TextPosition place;
  place.line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  place.column = 1 + (utf8_valid_prefix(line) == line.size() ? utf8_length(line) : line.size());
  return std::move(failure).at("sql", place);
}

}  // namespace

void set_heap_limit(std::size_t bytes_max) {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(bytes_max));
}

Result<std::unique_ptr<Database>> Database::open_in_memory(const DatabaseLimits& limits) {
  auto database = std::make_unique<OpenDatabase>();
  HELVE_TRY(database->open(limits));
  return database;
}

}  // namespace helve::sqlite
