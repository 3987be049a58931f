// SQLite files, read-only: statements that are held to what is permitted. sqlite.h is the same over
// tables of ours in memory.
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

struct FileOptions {
  std::string path;           // absolute: nothing in it is read as a URI
  bool is_immutable = false;  // nobody writes to it: neither locks nor journals are looked at
  DatabaseLimits limits;
};

// What statements may use beside tables, all in lower case; everything else is denied.
struct FilePermits {
  using Names = std::set<std::string, std::less<>>;
  Names functions;
  Names pragmas;  // as statements and as tables
  Names modules;  // of virtual tables: no others are there
  Names tables;   // those of the modules that are there without being made: json_each
};

struct ReadRefusal {
  std::string why;
  std::string hint = "write one SELECT statement over what is allowed";
};

// Whether a statement may read a column of a table ("": none in particular); `inside` is the view
// or the WITH that wants it, if any. PRAGMA x is asked for as the table "pragma_x".
using JudgeRead = std::function<std::optional<ReadRefusal>(
    std::string_view table, std::string_view column, std::string_view inside)>;

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

enum class StatementOrigin : std::uint8_t { Caller, Ours };  // ours are not judged

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
  // One statement that reads; those that were used lately are kept ready. InvalidInput and NotFound
  // with the position, Denied, LimitExceeded, Unavailable. The context is honoured by every step
  // and must outlive the statement; a single operation of SQLite can outlast its deadline.
  virtual Result<std::unique_ptr<FileStatement>> prepare(std::string_view sql,
                                                         const OpContext& context,
                                                         StatementOrigin origin) = 0;
  // Whether virtual tables, triggers and views are of another state than at the last call.
  virtual Result<bool> schema_changed(const OpContext& context) = 0;
};

std::string library_version();  // "3.40.1"

}  // namespace helve::sqlite
