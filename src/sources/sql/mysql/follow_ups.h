// What follows a change of rows on MySQL and MariaDB, which tell little of it: rows that foreign
// keys take with them are counted before, tables that triggers and foreign keys of others reach are
// seen by how many the server opens. write_transaction.cc asks, within its transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/sql/mysql/write_guard.h"
#include "sources/sql/mysql/write_target.h"

namespace helve::sql::mysql {

// A foreign key that refers to a table, as far as the user may see it.
struct ReferringKey {
  std::string schema;
  std::string table;
  std::vector<std::string> columns;
  std::vector<std::string> referenced;  // of the other table, in the same order
  std::string on_delete;                // "CASCADE"
  std::string on_update;
};

// All of this blocks: under a watch only.

// How many tables the server opens for such a change beyond its own and those that follow it by
// foreign keys that can be seen: those of triggers, and those that the user may not see. None where
// the server does not tell.
std::optional<std::size_t> count_unseen_tables(Connection& connection, const GuardedWrite& write,
                                               const WriteTarget& target);

// Whether a foreign key could follow the change at all: rows are deleted, or columns of an index
// are set.
Result<bool> may_be_followed(Connection& connection, const GuardedWrite& write,
                             const WriteTarget& target);

// Rows that the handlers of the session have written, by triggers too. None: they are not told.
std::optional<std::uint64_t> count_handled_rows(Connection& connection);

// The rows that foreign keys would take along, one statement for each way, which counts them up to
// `most` + 1 and locks them as they are. All take the values of the condition. Of a change that is
// not plain it is not known which rows it takes: then all of the table are meant, and what is
// counted is whether any could follow.
class FollowingRows {
 public:
  FollowingRows(Connection& connection, const GuardedWrite& write, const WriteTarget& target,
                std::string_view sql, std::uint64_t most)
      : connection_(connection), write_(write), target_(target), sql_(sql), most_(most) {}

  struct Count {
    std::string sql;
    std::string table;  // for messages
    std::size_t way = 0;
  };
  bool is_exact() const { return write_.shape.is_plain; }
  // The counts of the first step, before them that of the change itself (way 0) where it is exact;
  // none where no row can follow. `way` of each is given to next() where it found rows. Denied
  // where there are too many.
  Result<std::vector<Count>> first();
  // Those that follow the rows of such a count.
  Result<std::vector<Count>> next(std::size_t way);

 private:
  // Rows of a table that are changed, and how.
  struct Way {
    std::string schema;
    std::string table;
    std::string from;   // as SQL
    std::string where;  // as SQL; empty: all
    bool is_deleted = false;
    std::vector<std::string> set;  // columns, where they are not deleted
    std::size_t depth = 0;
  };
  Result<std::vector<Count>> follow(const Way& way);
  Count count_of(std::size_t way) const;

  Connection& connection_;
  const GuardedWrite& write_;
  const WriteTarget& target_;
  std::string_view sql_;
  std::uint64_t most_;
  std::vector<Way> ways_;
};

}  // namespace helve::sql::mysql
