// TableWriter: the seam between tools and a SQL database that may be changed. It is apart from
// TableSource, which never changes anything, and is there only where a database was opened for
// writing. Tools decide what is asked and confirmed; an adapter decides what a statement is, and
// holds the transaction.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/row_sink.h"
#include "sources/table_source.h"

namespace helve {

enum class WriteKind : std::uint8_t {
  Insert,
  Replace,  // INSERT that takes rows away too
  Update,
  Delete,
  Merge,
  Definition,  // CREATE, ALTER, DROP, TRUNCATE and the like
};
std::string_view name_of(WriteKind kind);  // "insert"

struct TableWrite {
  std::string sql;
  std::vector<SqlValue> parameters;         // as those of TableQuery
  std::shared_ptr<const TableRules> rules;  // bind what is written and what is read; null: none
  std::uint64_t rows_max = 1'000;           // that RETURNING gives, at most
  // Rows that may be changed from here to the end of the transaction, by all that follows too. An
  // adapter stops where it knows of more; who calls holds WriteRun against it all the same.
  std::uint64_t changes_max = std::numeric_limits<std::uint64_t>::max();
};

// What a statement would change, told before it is run.
struct WriteOutline {
  WriteKind kind = WriteKind::Insert;
  std::string verb;    // "UPDATE", "CREATE INDEX"
  std::string schema;  // of the table that is changed; empty: the default one
  std::string table;   // as the database spells it; of a definition what it is about, may be empty
  // False: what it does stays, whatever comes after (definitions of MySQL, tables of engines
  // without transactions).
  bool can_roll_back = true;
  // Running it to see what it would do is harmless, once it is rolled back: no trigger runs.
  bool can_try = true;
  std::optional<double> estimated_rows;  // by the plan of the database, where it tells
  // Of a definition: the tables whose rows go with it or are written anew.
  struct Table {
    std::string schema;  // empty: the default one
    std::string name;
  };
  std::vector<Table> rewritten;
  std::vector<std::string> notes;  // triggers, cascades: what happens besides
};

struct WriteRun {
  std::optional<Error> error;             // of the statement with its position, document "sql"
  SqlProblem problem;                     // where there is an error
  std::optional<std::uint64_t> affected;  // rows; none for definitions
  // Rows that changed with them: by triggers and cascades, or that were replaced. They count
  // against limits too.
  std::uint64_t besides = 0;
  bool is_too_much = false;        // the error is that there are more rows than changes_max
  std::vector<std::string> notes;  // warnings of the database
};

// How a commit ended. Unknown: the connection broke while it was under way.
struct CommitOutcome {
  std::optional<Error> error;
  bool is_unknown = false;
};

// One transaction on a connection of its own, rolled back when it goes. Not thread-safe. Every call
// honours deadline and cancellation as those of TableSource; after one that ran into them the
// transaction is over and rolled back, and all further calls say so.
class WriteTransaction {
 public:
  virtual ~WriteTransaction() = default;
  // One statement, checked as by TableWriter::examine(). An error undoes what it did and nothing
  // else. Rows of a RETURNING go to `returned`, where there is one.
  virtual WriteRun run(const TableWrite& write, RowSink* returned, const OpContext& context) = 0;
  // Undoes the last run() that succeeded; once for each.
  virtual Result<void> undo(const OpContext& context) = 0;
  // A statement that reads, of what the transaction sees. Guarded as TableSource::run().
  virtual TableRun read(const TableQuery& query, RowSink& sink, const OpContext& context) = 0;
  // Ends it, either way.
  virtual CommitOutcome commit(const OpContext& context) = 0;
  virtual Result<void> roll_back(const OpContext& context) = 0;
};

// Thread-safe.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // Denied: not one statement that changes data or definitions, a function that is not allowed, or
  // a table or column that the rules do not allow; InvalidInput and NotFound as TableSource::run().
  virtual Result<WriteOutline> examine(const TableWrite& write, SqlProblem& problem,
                                       const OpContext& context) const = 0;
  // Waits for a connection (and SQLite for its lock) within the context.
  virtual Result<std::unique_ptr<WriteTransaction>> begin(const OpContext& context) const = 0;
};

}  // namespace helve
