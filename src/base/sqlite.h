// SQLite, thin: a database in memory whose tables lie elsewhere, and statements that only read
// them. The one place that knows its interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"

namespace helve::sqlite {

struct Blob {
  std::string_view bytes;

  friend bool operator==(const Blob&, const Blob&) = default;
};
// NULL, INTEGER, REAL, TEXT (bytes that may not be UTF-8), BLOB.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view, Blob>;

// A table that SQLite reads where it is, and never writes. Immutable while a database has it.
class Table {
 public:
  struct Column {
    std::string name;
    bool is_numeric = false;  // texts that look like numbers are compared as numbers
    bool is_hidden = false;   // not part of "*"
  };

  virtual ~Table() = default;
  virtual const std::vector<Column>& columns() const = 0;
  virtual std::uint64_t rows() const = 0;
  // The views are valid as long as the table.
  virtual Value value(std::uint64_t row, std::size_t column) const = 0;
  virtual bool can_find(std::size_t column) const = 0;
  // Rows, ascending, among which are all whose value is equal, whatever SQLite converts before it
  // compares. REQUIRES: can_find(column).
  virtual std::span<const std::uint32_t> find(std::size_t column, const Value& value) const = 0;
};

// What a statement may use, all names in lower case; everything else is denied.
struct ReadRules {
  std::set<std::string, std::less<>> tables;  // beside those that were added
  std::set<std::string, std::less<>> functions;
  std::set<std::string, std::less<>> pragmas;
};

struct DatabaseLimits {
  std::size_t value_bytes_max = 32 * kMiB;  // of one text, blob or row
  std::size_t sql_bytes_max = kMiB;
};

// Memory of all databases of the process. Beyond it, statements fail with LimitExceeded.
void set_heap_limit(std::size_t bytes_max);

struct ColumnOrigin {
  std::string table;
  std::string column;
};

// One row at a time. Must not outlive its database.
class Statement {
 public:
  virtual ~Statement() = default;
  virtual std::size_t columns() const = 0;
  virtual std::string name(std::size_t column) const = 0;
  // The column of a table that is handed through as it is, as far as SQLite tells.
  virtual std::optional<ColumnOrigin> origin(std::size_t column) const = 0;
  // False at the end.
  virtual Result<bool> step() = 0;
  // Of the current row; valid until the next step.
  virtual Value value(std::size_t column) const = 0;
};

// Not thread-safe.
class Database {
 public:
  static Result<std::unique_ptr<Database>> open_in_memory(const DatabaseLimits& limits);
  virtual ~Database() = default;

  // Before lock(). InvalidInput where SQLite does not take the name or the columns.
  virtual Result<void> add_table(const std::string& name, std::shared_ptr<const Table> table) = 0;
  // From now on nothing but reading by the rules; there is no way back.
  virtual Result<void> lock(ReadRules rules) = 0;
  // One statement that reads. InvalidInput with the position, Denied for what the rules do not
  // allow, LimitExceeded. The context is honoured by every step and must outlive the statement; a
  // single operation of SQLite can outlast its deadline. REQUIRES: lock() was called.
  virtual Result<std::unique_ptr<Statement>> prepare(std::string_view sql,
                                                     const OpContext& context) = 0;
};

}  // namespace helve::sqlite
