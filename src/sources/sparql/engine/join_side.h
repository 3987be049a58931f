// JoinSide: the right side of a hash join, and the search for its rows that are compatible with one
// of the left. joins.cc has the whole side in memory; join_overflow.h takes it part by part.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/row_table.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

std::string_view name_of(JoinKind kind);

// A column that both sides have, or, of the added ones, that of the result and of the right.
struct SharedColumn {
  std::size_t left;
  std::size_t right;
};

// What a join does with rows. The conditions must outlive it.
struct JoinShape {
  JoinKind kind;
  std::size_t left_width;
  std::size_t right_width;
  std::vector<SharedColumn> shared;
  std::vector<SharedColumn> added;
  const std::vector<BoundExpression>& conditions;

  JoinShape(JoinKind join_kind, const Schema& left, const Schema& right, const Schema& result,
            const std::vector<BoundExpression>& join_conditions);
};

// The values of a row of the left in the key's columns; false where one is unbound.
bool key_of_row(const std::vector<SharedColumn>& key, const Batch& left, std::size_t row,
                std::vector<Id>& values);

class JoinSide {
 public:
  // The shape must outlive it.
  JoinSide(const JoinShape& shape, RunState& run);

  RowTable& rows() { return rows_; }
  std::size_t bytes() const { return rows_.bytes() + (index_ ? index_->bytes() : 0); }
  // After all rows: those of the shared columns that every row has bound.
  Result<void> index(std::vector<SharedColumn> key);
  void clear();

  // For a row of the left: its candidates are those in memory, or others, in the order of reading.
  void begin(const Batch& left, std::size_t row);
  void begin(SpilledRows::Reader candidates);
  // Appends the rows that come of it until `out` has `rows_max` or there are no more; true: no
  // more. May return false early, to be called again.
  Result<bool> produce(const Batch& left, std::size_t row, Batch& out, std::size_t rows_max);

 private:
  Result<bool> next_candidate();
  bool is_compatible(const Batch& left, std::size_t row, bool& shares_variable) const;
  Result<void> try_candidate(const Batch& left, std::size_t row, Batch& out);
  void append_left(const Batch& left, std::size_t row, Batch& out) const;

  const JoinShape& shape_;
  RunState& run_;
  RowTable rows_;
  std::unique_ptr<RowIndex> index_;
  std::vector<SharedColumn> key_;

  // Of a row of the left.
  std::vector<Id> key_values_;
  bool uses_index_ = false;
  bool has_match_ = false;
  std::uint32_t at_ = RowTable::kNone;
  std::optional<SpilledRows::Reader> reader_;
  std::span<const Id> candidate_;
};

}  // namespace helve::sparql
