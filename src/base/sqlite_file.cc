#include "base/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "base/percent.h"
#include "base/sqlite_file_error.h"
#include "base/sqlite_file_judge.h"
#include "base/sqlite_handles.h"
#include "base/sqlite_table.h"

// Libraries may be built without it: then it is not there
// (https://sqlite.org/c3ref/preupdate_blobwrite.html).
extern "C" void* sqlite3_preupdate_hook(sqlite3* database,
                                        void (*hook)(void*, sqlite3*, int, const char*, const char*,
                                                     sqlite3_int64, sqlite3_int64),
                                        void* data) __attribute__((weak));

namespace helve::sqlite {

namespace {

constexpr int kFileOperationsPerCheck = 100;
constexpr Duration kCheckPause = std::chrono::milliseconds(1);
constexpr unsigned kChecksSkippedMax = 64;
constexpr Duration kBusyMax = std::chrono::seconds(5);
constexpr std::int64_t kLikeAnyMax = 20;
constexpr std::size_t kKeptMax = 16;
constexpr std::size_t kKeptSqlBytesMax = 8 * kKiB;
constexpr std::size_t kVirtualTablesMax = 1'000;
constexpr std::size_t kTriggerDepthMax = 1'000;  // chains of foreign keys too

class OpenFile final : public FileDatabase {
 public:
  explicit OpenFile(FilePermits permits) : judge_(std::move(permits)) {}

  Result<void> open(const FileOptions& options, const OpContext& context);
  void set_judge(JudgeRead judge) override;
  void set_covering_scans(bool is_on) override;
  void set_change_judge(JudgeChange judge) override { judge_.set_changes(std::move(judge)); }
  Result<std::unique_ptr<FileStatement>> prepare(std::string_view sql, const OpContext& context,
                                                 StatementOrigin origin) override;
  Result<bool> schema_changed(const OpContext& context) override;
  Result<void> connect_tables(const OpContext& context) override;
  Result<void> execute(const std::string& sql, const OpContext& context) override;
  void count_changes(std::optional<std::uint64_t> most) override;
  ChangeCount changes() const override;
  bool has_stopped() const override { return has_stopped_; }
  bool is_in_transaction() const override { return sqlite3_get_autocommit(database_.get()) == 0; }
  bool was_locked() const override {
    return (sqlite3_errcode(database_.get()) & 0xFF) == SQLITE_BUSY;
  }

  void begin(const OpContext& context, StatementOrigin origin, bool is_running);
  Error failure(int outcome) const;
  void keep(std::string sql, StatementPtr statement);

 private:
  struct Kept {
    std::string sql;
    StatementPtr statement;
  };

  static int authorize(void* self, int action, const char* first, const char* second,
                       const char* database, const char* inside);
  static int check_progress(void* self);
  static void note_change(void* self, sqlite3* database, int kind, const char* schema,
                          const char* table, sqlite3_int64 before, sqlite3_int64 after);

  void set_limits(const DatabaseLimits& limits);
  void set_busy_timeout(const OpContext& context);
  Result<void> set_up();
  Result<void> connect_tables();
  Result<void> set_trust(bool has_virtual_tables);
  Result<void> execute(const std::string& sql);
  Result<StatementPtr> compile(std::string_view sql);
  Result<void> check_kind(sqlite3_stmt* statement) const;
  StatementPtr take_kept(std::string_view sql);

  FileJudge judge_;
  FileUse use_ = FileUse::Read;
  std::optional<Error> interrupted_;
  const OpContext* context_ = nullptr;
  unsigned checks_skipped_ = 0;
  unsigned checks_to_skip_ = 0;
  MonotonicTime checked_at_{};
  std::int64_t schema_version_ = -1;
  std::uint64_t changed_ = 0;         // rows since count_changes()
  std::uint64_t changed_before_ = 0;  // sqlite3_total_changes64() at its call
  std::optional<std::uint64_t> change_most_;
  bool has_stopped_ = false;
  std::string path_;
  DatabasePtr database_;
  std::list<Kept> kept_;  // the last used at the front; must go before the database
};

class OpenFileStatement final : public FileStatement {
 public:
  OpenFileStatement(OpenFile& database, std::string sql, StatementPtr statement,
                    const OpContext& context, StatementOrigin origin)
      : database_(database),
        sql_(std::move(sql)),
        statement_(std::move(statement)),
        context_(context),
        origin_(origin) {}
  OpenFileStatement(const OpenFileStatement&) = delete;
  OpenFileStatement& operator=(const OpenFileStatement&) = delete;
  ~OpenFileStatement() override {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
    if (origin_ == StatementOrigin::Caller) {
      database_.keep(std::move(sql_), std::move(statement_));
    }
  }

  std::size_t parameters() const override {
    return static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_.get()));
  }
  Result<void> bind(std::size_t parameter, const Value& value) override;
  Result<bool> step() override {
    database_.begin(context_, origin_, true);
    const int outcome = sqlite3_step(statement_.get());
    if (outcome == SQLITE_ROW) [[likely]]
      return true;
    if (outcome == SQLITE_DONE) return false;
    return database_.failure(outcome);
  }
  std::size_t columns() const override {
    return static_cast<std::size_t>(sqlite3_column_count(statement_.get()));
  }
  std::string name(std::size_t column) const override {
    const char* name = sqlite3_column_name(statement_.get(), static_cast<int>(column));
    return name != nullptr ? name : "";
  }
  std::string declared_type(std::size_t column) const override {
    const char* type = sqlite3_column_decltype(statement_.get(), static_cast<int>(column));
    return type != nullptr ? type : "";
  }
  void row(std::span<Value> values) const override {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value_of(sqlite3_column_value(statement_.get(), static_cast<int>(i)));
    }
  }

 private:
  OpenFile& database_;
  std::string sql_;
  StatementPtr statement_;
  const OpContext& context_;
  StatementOrigin origin_;
};

Result<void> OpenFileStatement::bind(std::size_t parameter, const Value& value) {
  const int index = static_cast<int>(parameter);
  sqlite3_stmt* const statement = statement_.get();
  int outcome = SQLITE_OK;
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    outcome = sqlite3_bind_int64(statement, index, *number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    outcome = sqlite3_bind_double(statement, index, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    outcome = sqlite3_bind_text64(statement, index, text->empty() ? "" : text->data(), text->size(),
                                  SQLITE_STATIC, SQLITE_UTF8);
  } else if (const auto* blob = std::get_if<Blob>(&value)) {
    outcome = sqlite3_bind_blob64(statement, index, blob->bytes.empty() ? "" : blob->bytes.data(),
                                  blob->bytes.size(), SQLITE_STATIC);
  } else {
    outcome = sqlite3_bind_null(statement, index);
  }
  if (outcome != SQLITE_OK) return database_.failure(outcome);
  return {};
}

Result<void> OpenFile::open(const FileOptions& options, const OpContext& context) {
  path_ = options.path;
  if (!path_.starts_with('/')) {
    return Error{ErrorCode::InvalidInput, "the path of the database is not absolute"};
  }
  std::string name = path_;
  use_ = options.use;
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= use_ == FileUse::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (options.is_immutable) {
    name = "file:" + percent_encoded(path_) + "?immutable=1";
    flags |= SQLITE_OPEN_URI;
  }
  begin(context, StatementOrigin::Ours, false);
  sqlite3* opened = nullptr;
  const int outcome = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  if (outcome != SQLITE_OK) return failure(outcome);
  if (use_ == FileUse::Write && sqlite3_db_readonly(opened, "main") != 0) {
    return Error{
        ErrorCode::Denied,
        fmt::format("the database '{}' cannot be changed: this process may not write to it", path_),
        "let this process write to the file and its folder"};
  }
  set_limits(options.limits);
  set_busy_timeout(context);
  sqlite3_progress_handler(opened, kFileOperationsPerCheck, check_progress, this);
  HELVE_TRY(set_up());
  sqlite3_set_authorizer(opened, authorize, this);
  return {};
}

void OpenFile::set_limits(const DatabaseLimits& limits) {
  const auto set_limit = [this](int what, std::size_t value) {
    sqlite3_limit(database_.get(), what, static_cast<int>(std::min<std::size_t>(value, INT32_MAX)));
  };
  set_limit(SQLITE_LIMIT_LENGTH, limits.value_bytes_max);
  set_limit(SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes_max);
  set_limit(SQLITE_LIMIT_COLUMN, 2'000);
  set_limit(SQLITE_LIMIT_EXPR_DEPTH, 1'000);
  set_limit(SQLITE_LIMIT_COMPOUND_SELECT, 500);
  set_limit(SQLITE_LIMIT_VDBE_OP, 5'000'000);
  set_limit(SQLITE_LIMIT_FUNCTION_ARG, 100);
  set_limit(SQLITE_LIMIT_ATTACHED, 0);
  set_limit(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50);  // of GLOB: LIKE is our own
  set_limit(SQLITE_LIMIT_VARIABLE_NUMBER, 32'766);
  set_limit(SQLITE_LIMIT_TRIGGER_DEPTH, use_ == FileUse::Read ? 1 : kTriggerDepthMax);
  set_limit(SQLITE_LIMIT_WORKER_THREADS, 0);
  const auto set_config = [this](int what, bool is_on) {
    sqlite3_db_config(database_.get(), what, is_on ? 1 : 0, nullptr);
  };
  // With "text" in double quotes an unknown name would silently be a string.
  for (const int off :
       {SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
        SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_WRITABLE_SCHEMA}) {
    set_config(off, false);
  }
  set_config(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false);
  set_config(SQLITE_DBCONFIG_ENABLE_TRIGGER, use_ != FileUse::Read);
  set_config(SQLITE_DBCONFIG_DEFENSIVE, true);
}

Result<void> OpenFile::set_up() {
  std::vector<const char*> modules;
  for (const std::string& name : judge_.permits().modules) modules.push_back(name.c_str());
  modules.push_back(nullptr);
  if (sqlite3_drop_modules(database_.get(), modules.data()) != SQLITE_OK ||
      register_like(database_.get(), &kLikeAnyMax) != SQLITE_OK) {
    return Error{ErrorCode::Internal, "SQLite does not take modules and functions of ours"};
  }
  HELVE_TRY(execute("PRAGMA temp_store = MEMORY"));  // nothing goes to the disk
  HELVE_TRY(execute("PRAGMA query_only = ON"));
  if (use_ == FileUse::Write) {
    HELVE_TRY(execute("PRAGMA synchronous = EXTRA"));
  } else {
    HELVE_TRY(execute("PRAGMA mmap_size = 268435456"));
  }
  if (use_ != FileUse::Read) HELVE_TRY(execute("PRAGMA foreign_keys = ON"));
  if (use_ == FileUse::Write && counts_replaced_rows()) {
    sqlite3_preupdate_hook(database_.get(), note_change, this);
  }
  HELVE_TRY(execute("PRAGMA cache_size = -16384"));
  HELVE_TRY(execute("SELECT count(*) FROM sqlite_schema"));  // looks into the file
  // Functions that are tables come to be at their first use, which the rules would not allow.
  for (const std::string& name : judge_.permits().tables) {
    HELVE_TRY(execute(fmt::format("SELECT 1 FROM {} LIMIT 0", quoted_name(name))));
  }
  for (const std::string& name : judge_.permits().pragmas) {
    HELVE_TRY(execute(fmt::format("SELECT 1 FROM pragma_{} LIMIT 0", name)));
  }
  return connect_tables();
}

// Virtual tables prepare statements that write when they are connected to, which is at their first
// use after each change of the schema.
Result<void> OpenFile::connect_tables() {
  std::vector<std::string> names;
  const auto note_name = [](void* list, int, char** values, char**) {
    auto& noted = *static_cast<std::vector<std::string>*>(list);
    if (values[0] != nullptr && noted.size() < kVirtualTablesMax) noted.emplace_back(values[0]);
    return 0;
  };
  constexpr const char* kVirtualTables =
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'";
  const int outcome = sqlite3_exec(database_.get(), kVirtualTables, note_name, &names, nullptr);
  if (outcome != SQLITE_OK) return failure(outcome);
  HELVE_TRY(set_trust(!names.empty()));
  for (const std::string& name : names) {
    // One whose module is not there is told by the statement that uses it.
    sqlite3_exec(database_.get(),
                 fmt::format("SELECT 1 FROM {} LIMIT 0", quoted_name(name)).c_str(), nullptr,
                 nullptr, nullptr);
  }
  return {};
}

// Triggers that keep search indexes, and definitions that use JSON, need a schema that is trusted
// (libraries hold neither to be harmless); modules and functions that reach beyond the file are not
// there, or not allowed, all the same.
Result<void> OpenFile::set_trust(bool has_virtual_tables) {
  bool needs_trust = has_virtual_tables;
  const auto note = [](void* found, int, char**, char**) {
    *static_cast<bool*>(found) = true;
    return 0;
  };
  constexpr const char* kJson =
      "SELECT 1 FROM sqlite_schema WHERE instr(lower(sql), 'json') > 0 OR instr(sql, '->') > 0 "
      "LIMIT 1";
  const int outcome = sqlite3_exec(database_.get(), kJson, note, &needs_trust, nullptr);
  if (outcome != SQLITE_OK) return failure(outcome);
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                    use_ != FileUse::Read && needs_trust ? 1 : 0, nullptr);
  return {};
}

Result<void> OpenFile::execute(const std::string& sql) {
  const int outcome = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return failure(outcome);
  return {};
}

Result<void> OpenFile::connect_tables(const OpContext& context) {
  context_ = nullptr;
  begin(context, StatementOrigin::Ours, false);
  auto outcome = connect_tables();
  context_ = nullptr;
  return outcome;
}

Result<void> OpenFile::execute(const std::string& sql, const OpContext& context) {
  context_ = nullptr;
  begin(context, StatementOrigin::Ours, false);
  set_busy_timeout(context);
  auto outcome = execute(sql);
  context_ = nullptr;
  return outcome;
}

void OpenFile::count_changes(std::optional<std::uint64_t> most) {
  changed_ = 0;
  changed_before_ = static_cast<std::uint64_t>(sqlite3_total_changes64(database_.get()));
  change_most_ = most;
  has_stopped_ = false;
}

ChangeCount OpenFile::changes() const {
  const auto own = static_cast<std::uint64_t>(sqlite3_changes64(database_.get()));
  const auto all = static_cast<std::uint64_t>(sqlite3_total_changes64(database_.get()));
  return {own, std::max(changed_, all - changed_before_)};
}

// Called before each row that is changed, whoever changes it.
void OpenFile::note_change(void* self, sqlite3* database, int /*kind*/, const char* /*schema*/,
                           const char* /*table*/, sqlite3_int64 /*before*/,
                           sqlite3_int64 /*after*/) {
  auto& file = *static_cast<OpenFile*>(self);
  ++file.changed_;
  if (!file.change_most_ || file.changed_ <= *file.change_most_) return;
  file.has_stopped_ = true;
  sqlite3_interrupt(database);
}

void OpenFile::begin(const OpContext& context, StatementOrigin origin, bool is_running) {
  judge_.set_origin(origin, is_running);
  if (context_ == &context && !judge_.refusal() && !interrupted_) return;
  context_ = &context;
  judge_.forget_refusal();
  interrupted_.reset();
  checks_to_skip_ = 0;
}

void OpenFile::set_busy_timeout(const OpContext& context) {
  const Duration wait = std::min(kBusyMax, context.deadline.remaining());
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(wait).count();
  sqlite3_busy_timeout(database_.get(), static_cast<int>(ms));
}

void OpenFile::set_judge(JudgeRead judge) {
  kept_.clear();  // they were judged by the other
  judge_.set_reads(std::move(judge));
}

void OpenFile::set_covering_scans(bool is_on) {
  constexpr int kCoverIdxScan = 0x20;  // of SQLite's optimizations, which this call turns off
  kept_.clear();
  sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, database_.get(), is_on ? 0 : kCoverIdxScan);
  // Values of parameters change no plan.
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_ENABLE_QPSG, is_on ? 0 : 1, nullptr);
}

// The clock is looked at about every millisecond, as far as operations take like times.
int OpenFile::check_progress(void* self) {
  auto& database = *static_cast<OpenFile*>(self);
  if (database.context_ == nullptr) return 0;
  if (database.checks_skipped_ < database.checks_to_skip_) {
    ++database.checks_skipped_;
    return 0;
  }
  const MonotonicTime now = std::chrono::steady_clock::now();
  const bool was_soon = now - database.checked_at_ < kCheckPause;
  database.checks_to_skip_ =
      was_soon ? std::min(2 * database.checks_to_skip_ + 1, kChecksSkippedMax) : 0;
  database.checks_skipped_ = 0;
  database.checked_at_ = now;
  auto outcome = database.context_->check();
  if (outcome) return 0;
  database.interrupted_ = std::move(outcome).error();
  return 1;
}

int OpenFile::authorize(void* self, int action, const char* first, const char* second,
                        const char* /*database*/, const char* inside) {
  const auto view = [](const char* text) { return std::string_view(text != nullptr ? text : ""); };
  return static_cast<OpenFile*>(self)->judge_.decide(action, view(first), view(second),
                                                     view(inside));
}

StatementPtr OpenFile::take_kept(std::string_view sql) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [sql](const Kept& one) { return one.sql == sql; });
  if (found == kept_.end()) return nullptr;
  StatementPtr statement = std::move(found->statement);
  kept_.erase(found);
  return statement;
}

void OpenFile::keep(std::string sql, StatementPtr statement) {
  if (sql.size() > kKeptSqlBytesMax) return;
  kept_.push_front({std::move(sql), std::move(statement)});
  if (kept_.size() > kKeptMax) kept_.pop_back();
}

Result<std::unique_ptr<FileStatement>> OpenFile::prepare(std::string_view sql,
                                                         const OpContext& context,
                                                         StatementOrigin origin) {
  context_ = nullptr;  // contexts of different calls may have one address
  begin(context, origin, false);
  set_busy_timeout(context);
  const bool is_read = origin == StatementOrigin::Caller;
  StatementPtr statement = is_read ? take_kept(sql) : nullptr;
  if (statement == nullptr) {
    auto compiled = compile(sql);
    if (!compiled && is_read && !interrupted_) {
      judge_.set_origin(StatementOrigin::Ours, false);
      auto connected = connect_tables();
      begin(context, origin, false);
      if (!connected) return std::move(connected).error();
      compiled = compile(sql);
    }
    if (!compiled) return std::move(compiled).error();
    statement = *std::move(compiled);
  }
  return std::make_unique<OpenFileStatement>(*this, std::string(sql), std::move(statement), context,
                                             origin);
}

Result<StatementPtr> OpenFile::compile(std::string_view sql) {
  if (sql.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::InvalidInput, "the SQL text has a NUL character"};
  }
  const std::string text(sql);  // ends with NUL
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  const int outcome = sqlite3_prepare_v3(database_.get(), text.c_str(),
                                         static_cast<int>(text.size()) + 1, 0, &made, &tail);
  StatementPtr statement(made);
  if (outcome != SQLITE_OK) {
    Error error = failure(outcome);
    place(error, sql, sqlite3_error_offset(database_.get()));
    return error;
  }
  if (statement == nullptr) {
    return Error{ErrorCode::InvalidInput, "there is no SQL statement",
                 "write one SELECT statement"};
  }
  HELVE_TRY(check_tail(database_.get(), tail, text.c_str() + text.size()));
  HELVE_TRY(check_kind(statement.get()));
  return statement;
}

// VACUUM INTO is among what the authorizer does not see.
Result<void> OpenFile::check_kind(sqlite3_stmt* statement) const {
  if (judge_.origin() == StatementOrigin::Ours) return {};
  const bool is_reading = sqlite3_stmt_readonly(statement) != 0;
  if (judge_.origin() == StatementOrigin::Change) {
    if (!is_reading && sqlite3_stmt_isexplain(statement) == 0 && use_ != FileUse::Read) return {};
    return Error{ErrorCode::Denied, "the statement changes nothing",
                 "write one INSERT, UPDATE or DELETE statement"};
  }
  if (is_reading && sqlite3_column_count(statement) > 0) return {};
  return Error{ErrorCode::Denied, "only statements that read are allowed",
               "write one SELECT statement"};
}

Result<bool> OpenFile::schema_changed(const OpContext& context) {
  HELVE_ASSIGN(const auto statement,
               prepare("PRAGMA schema_version", context, StatementOrigin::Ours));
  HELVE_ASSIGN(const bool has_row, statement->step());
  Value version;
  if (has_row) statement->row({&version, 1});
  const auto* number = std::get_if<std::int64_t>(&version);
  if (number == nullptr) return true;
  return std::exchange(schema_version_, *number) != *number;
}

Error OpenFile::failure(int outcome) const {
  if (interrupted_) return *interrupted_;
  // Tables that are functions ask as they run.
  const auto& refusal = judge_.refusal();
  const bool is_denied =
      refusal && ((outcome & 0xFF) == SQLITE_AUTH || (outcome & 0xFF) == SQLITE_ERROR);
  if (is_denied) return {ErrorCode::Denied, refusal->why, refusal->hint};
  return file_error(database_.get(), outcome, path_);
}

}  // namespace

Result<std::unique_ptr<FileDatabase>> FileDatabase::open(const FileOptions& options,
                                                         FilePermits permits,
                                                         const OpContext& context) {
  auto database = std::make_unique<OpenFile>(std::move(permits));
  HELVE_TRY(database->open(options, context));
  return database;
}

std::string library_version() { return sqlite3_libversion(); }

bool counts_replaced_rows() { return sqlite3_preupdate_hook != nullptr; }

}  // namespace helve::sqlite
