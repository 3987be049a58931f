// Snapshots: the rows that a change takes, as they are before and after it, within the bounds of
// the policy. change.cc takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/table_writer.h"
#include "sources/write_shape.h"
#include "toolkit/handles/row_table.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

struct Change;

struct Snapshot {
  RowTablePtr rows;        // null: there is none
  bool is_whole = true;    // false: there were more rows
  std::string why;         // there is none, or not all
  std::uint64_t seen = 0;  // rows that came, kept or not
};

// Takes the first rows, as many as fit, and lets the others pass.
class KeptRows final : public RowSink {
 public:
  KeptRows(const Policy& policy, const OpContext& op);
  Result<void> columns(const std::vector<std::string>& names) override;
  Result<void> row(Row cells) override;
  // Call once.
  Snapshot finish();

 private:
  std::uint64_t rows_max_;
  RowTableBuilder rows_;
  bool has_columns_ = false;
  bool is_whole_ = true;
  std::uint64_t seen_ = 0;
};

// Columns of the table that the policy shows, as SQL: `"a", "b"`. Empty: there are none.
std::string shown_columns(const Change& change);

// A statement that reads the rows a plain change takes: SELECT `what` FROM ... WHERE .... None
// where it has marks that cannot be carried over.
std::optional<TableQuery> read_taken(const Change& change, std::string_view what);
// How many rows those are, counted up to `most` + 1.
std::optional<TableQuery> count_taken(const Change& change, std::uint64_t most);

// How many rows the query of a change gives (WriteShape::query), and a table has.
std::optional<TableQuery> count_made(const Change& change, std::uint64_t most);
TableQuery count_table(const WriteOutline::Table& table, SqlDialect dialect, std::uint64_t most);

// Rows that an UPDATE or DELETE will take; `why` says where there is none.
Result<Snapshot> take_before(const Change& change, WriteTransaction& transaction,
                             const Policy& policy, const OpContext& op);
// The rows of `before` as they are now, found by their primary key.
Result<Snapshot> take_after(const Change& change, const Snapshot& before,
                            WriteTransaction& transaction, const Policy& policy,
                            const OpContext& op);
// A hash of which rows are in it, by their primary key or, without one, by all that is shown of
// them; and of how many change besides. Empty where the snapshot does not have all of them.
std::string keys_of(const Change& change, const Snapshot& before, std::uint64_t besides);
// The statement with a RETURNING of all columns that are shown. Empty: it cannot have one.
std::string with_returning(const Change& change);

// The one number that a statement gives.
Result<std::uint64_t> read_count(const TableQuery& query, WriteTransaction& transaction,
                                 const OpContext& op);
Result<std::uint64_t> read_count(const TableQuery& query, const TableSource& tables,
                                 const OpContext& op);

}  // namespace helve::toolkit
