// SQLite files: statements that are held to what is permitted. sqlite.h is the same over tables of
// ours in memory, sqlite_file_judge.h decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/op_context.h"
#include "base/result.h"
#include "base/sqlite.h"

namespace helve::sqlite {

enum class FileUse : std::uint8_t {
  Read,
  Examine,  // opened read-only, but statements that change can be prepared, to be looked at
  Write,    // the file has to be there
};

struct FileOptions {
  std::string path;           // absolute: nothing in it is read as a URI
  bool is_immutable = false;  // nobody writes to it: neither locks nor journals are looked at
  DatabaseLimits limits;
  FileUse use = FileUse::Read;
};

// What statements may use beside tables, all in lower case; everything else is denied.
struct FilePermits {
  using Names = std::set<std::string, std::less<>>;
  Names functions;
  Names pragmas;  // as statements and as tables
  Names modules;  // of virtual tables: no others are there
  Names tables;   // those of the modules that are there without being made: json_each
};

inline constexpr const char* kReadHint = "write one SELECT statement over what is allowed";
inline constexpr const char* kChangeHint = "leave it out of the statement";
struct ReadRefusal {
  std::string why;
  std::string hint;  // empty: one of these
};

// Whether a statement may read a column of a table ("": none in particular); `inside` is the view
// or the WITH that wants it, if any. PRAGMA x is asked for as the table "pragma_x".
using JudgeRead = std::function<std::optional<ReadRefusal>(
    std::string_view table, std::string_view column, std::string_view inside)>;

// One thing that a statement would change, as SQLite tells it while it compiles the statement.
struct FileChange {
  enum class Kind : std::uint8_t {
    Insert,
    Update,
    Delete,
    CreateTable,
    CreateIndex,
    CreateView,
    DropTable,
    DropIndex,
    DropView,
    DropTrigger,
    AlterTable,
    Reindex,
  };
  Kind kind = Kind::Insert;
  std::string_view name;    // of the table, index, view or trigger
  std::string_view detail;  // the column of Update, the table of an index or trigger
  std::string_view inside;  // the trigger that wants it; empty for foreign keys too
  // The statement runs already: a virtual table asks by statements of its own, or the statement is
  // compiled anew.
  bool is_running = false;
};
using JudgeChange = std::function<std::optional<ReadRefusal>(const FileChange& change)>;

// Must not outlive its database.
class FileStatement {
 public:
  virtual ~FileStatement() = default;
  virtual std::size_t parameters() const = 0;
  // From 1. The value must live as long as the statement.
  virtual Result<void> bind(std::size_t parameter, const Value& value) = 0;
  // False at the end. Columns may be others after the first step than before: the schema may have
  // changed meanwhile.
  virtual Result<bool> step() = 0;
  virtual std::size_t columns() const = 0;
  virtual std::string name(std::size_t column) const = 0;
  virtual std::string declared_type(std::size_t column) const = 0;  // "" where there is none
  // Of the current row; valid until the next step. REQUIRES: as many as columns().
  virtual void row(std::span<Value> values) const = 0;
};

enum class StatementOrigin : std::uint8_t {
  Caller,  // reads
  Change,  // of a caller too; only where the file was not opened for reading
  Ours,    // not judged
};

// Rows that statements changed.
struct ChangeCount {
  std::uint64_t own = 0;  // by the last statement itself
  // Since count_changes(): by triggers, foreign keys and search indexes too, and those that REPLACE
  // took away.
  std::uint64_t all = 0;
};

// Not thread-safe.
class FileDatabase {
 public:
  // NotFound, InvalidInput (no database), Unavailable (locked, broken, cannot be read), with words
  // for who owns the file. `context` bounds the waiting for a writer.
  static Result<std::unique_ptr<FileDatabase>> open(const FileOptions& options, FilePermits permits,
                                                    const OpContext& context);
  virtual ~FileDatabase() = default;

  // For the statements from now on. Null: all tables may be read.
  virtual void set_judge(JudgeRead judge) = 0;
  // Whether statements may use an index instead of a table just because it has all columns that
  // they read. Where not, rows come in the order of their table unless a condition or ORDER BY says
  // more.
  virtual void set_covering_scans(bool is_on) = 0;
  // Of what statements change. Null: nothing.
  virtual void set_change_judge(JudgeChange judge) = 0;
  // One statement that reads, or changes where its origin says so; those that read and were used
  // lately are kept ready. InvalidInput and NotFound with the position, Denied, LimitExceeded,
  // Unavailable. The context is honoured by every step and must outlive the statement; a single
  // operation of SQLite can outlast its deadline.
  virtual Result<std::unique_ptr<FileStatement>> prepare(std::string_view sql,
                                                         const OpContext& context,
                                                         StatementOrigin origin) = 0;
  // Whether virtual tables, triggers and views are of another state than at the last call.
  virtual Result<bool> schema_changed(const OpContext& context) = 0;
  // Lets virtual tables prepare what they need, which is not judged; prepare() does it by itself
  // for statements that read.
  virtual Result<void> connect_tables(const OpContext& context) = 0;
  // A statement of ours.
  virtual Result<void> execute(const std::string& sql, const OpContext& context) = 0;
  // Counts from zero. A statement that changes more than `most` rows is stopped, which rolls the
  // whole transaction back: has_stopped().
  virtual void count_changes(std::optional<std::uint64_t> most) = 0;
  virtual ChangeCount changes() const = 0;
  virtual bool has_stopped() const = 0;
  virtual bool is_in_transaction() const = 0;
  // Whether the last statement failed for the lock of another.
  virtual bool was_locked() const = 0;
};

std::string library_version();  // "3.40.1"
// Whether this library tells of every row that is changed, those that REPLACE takes away among
// them. Otherwise ChangeCount::all is without these.
bool counts_replaced_rows();

}  // namespace helve::sqlite
