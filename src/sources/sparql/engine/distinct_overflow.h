// DistinctOverflow: the different ones of rows that a table in memory has no room for, by way of
// partitions on disk. They come in the order in which they were first met.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sources/sparql/engine/row_merge.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

// Rows that end with a number, by which they ascend.
class NumberedCursor {
 public:
  NumberedCursor(const SpilledRows& rows, RunState& run, std::string_view what)
      : reader_(rows, run, what) {}
  Result<bool> next() { return reader_.next(); }
  std::span<const Id> row() const { return reader_.row(); }
  bool is_before(const NumberedCursor& other) const {
    return row().back().bits() < other.row().back().bits();
  }

 private:
  SpilledRows::Reader reader_;
};

// Sequences of such rows, merged into one.
class NumberedRuns {
 public:
  NumberedRuns(std::size_t width, RunState& run, std::string_view what)
      : width_(width), run_(&run), what_(what) {}

  // Begins another sequence. `width` counts the number.
  Result<void> begin();
  Result<void> append(std::span<const Id> row) { return runs_.back().append(row); }
  Result<void> end() { return runs_.back().finish(); }
  Result<bool> next();
  // Without the number.
  std::span<const Id> row() const { return merge_->row().first(width_ - 1); }

 private:
  std::size_t width_;
  RunState* run_;
  std::string_view what_;
  std::shared_ptr<SpillFile> file_;
  std::vector<SpilledRows> runs_;
  std::unique_ptr<RowMerge<NumberedCursor>> merge_;
};

class DistinctOverflow {
 public:
  // REQUIRES: can_spill(), a width of at least one.
  static Result<DistinctOverflow> make(std::size_t width, RunState& run, std::string_view what);

  Result<void> append(std::span<const Id> row);
  // The first of equal rows; false at the end. Nothing can be appended any more.
  Result<bool> next();
  std::span<const Id> row() const { return runs_.row(); }

 private:
  DistinctOverflow(std::size_t width, RowPartitions partitions, RunState& run,
                   std::string_view what);
  Result<void> read(std::optional<RowPartitions>& partitions);
  Result<void> read_part(const SpilledRows& rows, int level);

  std::size_t width_;
  RunState* run_;
  std::string_view what_;
  std::optional<RowPartitions> partitions_;
  std::uint64_t appended_ = 0;
  NumberedRuns runs_;
  std::vector<Id> row_;
};

}  // namespace helve::sparql
