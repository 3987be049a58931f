#include "base/sqlite_store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/sqlite_handles.h"

namespace helve::sqlite {

namespace {

constexpr int kStepsBetweenChecks = 10'000;
constexpr int kBusyMs = 5'000;  // readers wait so long while another recovers the file

Error store_error(sqlite3* database, int outcome, const std::string& path) {
  if (database == nullptr) return {ErrorCode::Internal, "SQLite cannot be started"};
  std::string text = sqlite3_errmsg(database);
  switch (outcome & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error(ErrorCode::Unavailable, fmt::format("'{}' is damaged", path),
                   "restore it from a backup")
          .because(ErrorReason::Corrupt)
          .with_detail(std::move(text));
    case SQLITE_FULL:
      return {ErrorCode::Unavailable,
              fmt::format(
                  "'{}' cannot grow: the disk is full, or the file is as large as it may be", path),
              "make room; what was stored before can still be read"};
    case SQLITE_READONLY:
      return {ErrorCode::Unavailable, fmt::format("'{}' cannot be written", path),
              "let this process write to the file and its folder; it can still be read"};
    case SQLITE_CANTOPEN:
      return {ErrorCode::Unavailable, fmt::format("'{}' cannot be opened", path),
              "let this process read and write the file and its folder"};
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::Denied, fmt::format("'{}' may not be opened", path)};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::Unavailable, fmt::format("'{}' is in use by another program", path),
              "try again in a moment"};
    case SQLITE_INTERRUPT:
      return {ErrorCode::LimitExceeded, "the deadline has passed",
              "allow more time or ask for less"};
    case SQLITE_NOMEM:
      return {ErrorCode::LimitExceeded, "SQLite needs more memory than it may have"};
    case SQLITE_IOERR:
      return Error(ErrorCode::Unavailable, fmt::format("'{}' cannot be read or written", path),
                   "look at the disk")
          .with_detail(std::move(text));
    default:
      return Error(ErrorCode::Internal, fmt::format("'{}' cannot be used", path))
          .with_detail(std::move(text));
  }
}

int stop_when_late(void* context) {
  return static_cast<const OpContext*>(context)->check() ? 0 : 1;
}

int bind_one(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return sqlite3_bind_int64(statement, place, *number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, place, *number);
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return sqlite3_bind_text64(statement, place, text->data() == nullptr ? "" : text->data(),
                               text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  if (const auto* blob = std::get_if<Blob>(&value)) {
    return sqlite3_bind_blob64(statement, place,
                               blob->bytes.data() == nullptr ? "" : blob->bytes.data(),
                               blob->bytes.size(), SQLITE_TRANSIENT);
  }
  return sqlite3_bind_null(statement, place);
}

int flags_of(StoreUse use) {
  const int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (use == StoreUse::Write) return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  return common | SQLITE_OPEN_READONLY | (use == StoreUse::Immutable ? SQLITE_OPEN_URI : 0);
}

// A URI is the only way to say so.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

StoreStatement::StoreStatement(StoreStatement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), path_(other.path_) {}

StoreStatement::~StoreStatement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Result<void> StoreStatement::bind(std::initializer_list<Value> values) {
  int place = 0;
  for (const Value& value : values) {
    if (const int outcome = bind_one(statement_, ++place, value); outcome != SQLITE_OK) {
      return store_error(sqlite3_db_handle(statement_), outcome, *path_);
    }
  }
  HELVE_CHECK(place == sqlite3_bind_parameter_count(statement_));
  return {};
}

Result<bool> StoreStatement::step() {
  const int outcome = sqlite3_step(statement_);
  if (outcome == SQLITE_ROW) return true;
  if (outcome == SQLITE_DONE) return false;
  return store_error(sqlite3_db_handle(statement_), outcome, *path_);
}

Value StoreStatement::value(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement_, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_, column);
    case SQLITE_TEXT:
      return text(column);
    case SQLITE_BLOB:
      return Blob{text(column)};
    default:
      return std::monostate{};
  }
}

std::int64_t StoreStatement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view StoreStatement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool StoreStatement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  HELVE_CHECK(options.path.starts_with('/'));
  std::error_code failed;
  if (options.use != StoreUse::Write && !std::filesystem::exists(options.path, failed)) {
    return Error{ErrorCode::NotFound, fmt::format("there is no '{}'", options.path)};
  }
  std::unique_ptr<Store> store(new Store(options.path));
  const std::string name =
      options.use == StoreUse::Immutable ? immutable_uri(options.path) : options.path;
  const int outcome =
      sqlite3_open_v2(name.c_str(), &store->database_, flags_of(options.use), nullptr);
  if (outcome != SQLITE_OK) return store->error(outcome);
  HELVE_TRY(store->set_up(options));
  return store;
}

Result<void> Store::set_up(const StoreOptions& options) {
  sqlite3_busy_timeout(database_, kBusyMs);
  int was = 0;
  for (const auto& [what, value] :
       {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1}, std::pair{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        // Who reads must not write at the end, and who writes does it at moments of its own.
        std::pair{SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}}) {
    sqlite3_db_config(database_, what, value, &was);
  }
  HELVE_TRY(execute("PRAGMA cell_size_check = ON"));
  if (options.use != StoreUse::Write) {
    return execute(
        "PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0; "
        "PRAGMA mmap_size = 8589934592");
  }
  // A WAL that grew while somebody read is short again afterwards.
  HELVE_TRY(
      execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
              "PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -65536; PRAGMA "
              "journal_size_limit = 67108864"));
  if (options.bytes_max > 0) {
    HELVE_ASSIGN(const std::int64_t page, number("PRAGMA page_size"));
    HELVE_TRY(execute(fmt::format(
        "PRAGMA max_page_count = {}",
        std::max<std::uint64_t>(1, options.bytes_max / static_cast<std::uint64_t>(page)))));
  }
  return {};
}

Store::~Store() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(database_);
}

Error Store::error(int outcome) const {
  if ((outcome & 0xFF) == SQLITE_INTERRUPT && context_ != nullptr) {
    if (auto ended = context_->check(); !ended) return ended.error();
  }
  return store_error(database_, outcome, path_);
}

void Store::set_context(const OpContext* context) {
  context_ = context;
  sqlite3_progress_handler(database_, kStepsBetweenChecks,
                           context == nullptr ? nullptr : stop_when_late,
                           const_cast<OpContext*>(context));  // NOLINT: only read
}

Result<void> Store::execute(const std::string& sql) {
  const int outcome = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return error(outcome);
  return {};
}

Result<StoreStatement> Store::prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* made = nullptr;
    const int outcome = sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                                           SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    if (outcome != SQLITE_OK) return error(outcome);
    found = statements_.emplace(std::string(sql), made).first;
  }
  HELVE_CHECK(sqlite3_stmt_busy(found->second) == 0);
  return StoreStatement(found->second, path_);
}

Result<void> Store::run(std::string_view sql, std::initializer_list<Value> values) {
  HELVE_ASSIGN(StoreStatement statement, prepare(sql));
  HELVE_TRY(statement.bind(values));
  HELVE_TRY(statement.step());
  return {};
}

Result<std::int64_t> Store::number(std::string_view sql) {
  HELVE_ASSIGN(StoreStatement statement, prepare(sql));
  HELVE_ASSIGN(const bool is_there, statement.step());
  return is_there ? statement.integer(0) : 0;
}

std::int64_t Store::last_row() const { return sqlite3_last_insert_rowid(database_); }

std::uint64_t Store::changed_rows() const {
  return static_cast<std::uint64_t>(sqlite3_changes64(database_));
}

bool Store::has_moved() const {
  int moved = 0;
  const int outcome = sqlite3_file_control(database_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return outcome != SQLITE_OK || moved != 0;
}

Result<void> Store::copy_to(const std::string& path, const OpContext& context) {
  constexpr int kPages = 1'000;
  sqlite3* opened = nullptr;
  int outcome = sqlite3_open_v2(
      path.c_str(), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_EXRESCODE,
      nullptr);
  const DatabasePtr target(opened);
  if (outcome != SQLITE_OK) return store_error(opened, outcome, path);
  sqlite3_backup* backup = sqlite3_backup_init(opened, "main", database_, "main");
  if (backup == nullptr) return store_error(opened, sqlite3_errcode(opened), path);
  // One transaction of the source all along: a writer meanwhile does not make it begin again.
  Result<void> begun = execute("BEGIN");
  if (begun) begun = number("SELECT count(*) FROM sqlite_master") ? Result<void>() : begun;
  Result<void> checked = context.check();
  for (outcome = SQLITE_OK; begun && checked && outcome == SQLITE_OK; checked = context.check()) {
    outcome = sqlite3_backup_step(backup, kPages);
  }
  sqlite3_backup_finish(backup);
  if (begun) (void)execute("COMMIT");
  HELVE_TRY(begun);
  HELVE_TRY(checked);
  if (outcome != SQLITE_DONE) return store_error(opened, outcome, path);
  // A copy stands alone: no WAL beside it.
  if (sqlite3_exec(opened, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    return store_error(opened, sqlite3_errcode(opened), path);
  }
  return {};
}

}  // namespace helve::sqlite
