// SortRuns: sorted parts of an ORDER BY that were set aside on disk, and their merge.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sources/sparql/engine/id_order.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_merge.h"
#include "sources/sparql/engine/sort_key.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

// How rows compare that are ids alone. Keys that are no columns are computed again, or, where that
// could give something else, are columns behind the others.
struct RowOrder {
  const std::vector<SortColumn>& columns;
  const IdOrder& ids;
  std::size_t width;                                // of the rows that are sorted
  std::vector<std::optional<std::size_t>> kept_at;  // by key: its column, if it has one
  RunState& run;
};

// The rows of a run, with the keys of the one in front.
class RunCursor {
 public:
  RunCursor(const SpilledRows& rows, const RowOrder& order);
  Result<bool> next();
  std::span<const Id> row() const { return reader_.row(); }
  bool is_before(RunCursor& other);

 private:
  const SortKey& key(std::size_t i);
  bool has_computed_keys() const;

  const RowOrder* order_;
  SpilledRows::Reader reader_;
  std::vector<SortKey> keys_;  // by key, where known
  std::vector<bool> has_key_;
  Batch batch_;  // the row, for expressions
};

class SortRuns {
 public:
  explicit SortRuns(const RowOrder& order) : order_(order) {}

  bool empty() const { return runs_.empty(); }
  // Begins a run behind the others: its rows come behind equal ones of those.
  Result<void> begin();
  Result<void> append(std::span<const Id> row) { return runs_.back().append(row); }
  Result<void> end() { return runs_.back().finish(); }
  // The rows of all runs in order; false at the end. No run can be added once this was called.
  Result<bool> next();
  std::span<const Id> row() const { return merge_->row(); }
  void clear();

 private:
  const RowOrder& order_;
  std::shared_ptr<SpillFile> file_;
  std::vector<SpilledRows> runs_;
  std::unique_ptr<RowMerge<RunCursor>> merge_;
};

}  // namespace helve::sparql
