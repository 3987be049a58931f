// SpilledRows: rows of ids set aside in a temporary file, in their order. What ORDER BY, DISTINCT,
// GROUP BY and hash joins do with rows that exceed the memory; RowPartitions spreads them by hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "base/spill_space.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

inline bool can_spill(const RunState& run) { return run.op.spill != nullptr; }
// An operator that needs so many bytes, of which it has charged some, is to set rows aside: it
// would leave less for the others than it takes.
bool is_memory_short(const RunState& run, std::size_t bytes_needed, std::size_t bytes_charged);
// The same for a table whose further rows are to be spread over partitions, which take buffers.
bool is_table_large(const RunState& run, std::size_t bytes_needed, std::size_t bytes_held);
// Of what is written and read at once. Small budgets have small blocks.
std::size_t spill_block_bytes(const RunState& run);
// Sequences of rows that can be read side by side now.
std::size_t spill_fan_in(const RunState& run);

// Ids are kept as they are: the terms of the query stay in memory. Move-only.
class SpilledRows {
 public:
  // `what` names the operator in errors. Rows that share a file must be of the same query.
  SpilledRows(std::shared_ptr<SpillFile> file, std::size_t width, RunState& run,
              std::string_view what);

  std::size_t width() const { return width_; }
  std::uint64_t rows() const { return rows_; }

  // Takes the buffer now: append() needs no more memory for a while.
  Result<void> reserve();
  // REQUIRES: as many ids as the rows are wide, at least one; not finished.
  Result<void> append(std::span<const Id> row);
  // Writes what is left and gives the buffer back; to be called before reading.
  Result<void> finish();

  // Not valid once the rows have moved or are gone.
  class Reader {
   public:
    // `is_backward`: from the last row to the first.
    Reader(const SpilledRows& rows, RunState& run, std::string_view what, bool is_backward = false);
    // To the next row; false at the end.
    Result<bool> next();
    std::span<const Id> row() const { return {ids_.data() + at_, width_}; }

   private:
    Result<bool> load();

    const SpilledRows* rows_;
    RunState* run_;
    std::size_t width_;
    MemoryCharge charge_;
    std::vector<Id> ids_;  // of a block, behind its header
    std::size_t at_ = 0;
    std::size_t blocks_read_ = 0;
    bool is_backward_;
  };

 private:
  Result<void> write();
  std::size_t rows_in(std::size_t block) const;

  std::shared_ptr<SpillFile> file_;
  std::size_t width_;
  RunState* run_;
  std::size_t block_rows_;  // of all blocks but the last
  MemoryCharge charge_;
  std::vector<Id> buffer_;             // one id of header, then rows
  std::vector<std::uint64_t> places_;  // of blocks
  std::uint64_t rows_ = 0;
};

Result<std::shared_ptr<SpillFile>> make_spill_file(const RunState& run, std::string_view what);

// Rows by the hash of their first columns. Rows of equal keys are in one part; the same rows at
// another level are spread otherwise.
class RowPartitions {
 public:
  static constexpr std::size_t kParts = 16;
  static constexpr int kLevelsMax = 12;

  static Result<RowPartitions> make(std::size_t width, int level, RunState& run,
                                    std::string_view what);
  static std::size_t part_of(std::span<const Id> key, int level);
  // What the parts take while rows are appended.
  static std::size_t buffer_bytes(const RunState& run) { return kParts * spill_block_bytes(run); }

  Result<void> append(std::span<const Id> key, std::span<const Id> row) {
    return parts_[part_of(key, level_)].append(row);
  }
  Result<void> finish();
  int level() const { return level_; }
  std::vector<SpilledRows>& parts() { return parts_; }

 private:
  explicit RowPartitions(int level) : level_(level) {}

  int level_;
  std::vector<SpilledRows> parts_;
};

// Hands on what was set aside and not read yet, if there is any: read(part, level) for each part
// that has rows. Nothing can be appended any more.
template <typename Read>
Result<void> read_parts(std::optional<RowPartitions>& partitions, const Read& read) {
  if (!partitions) return {};
  HELVE_TRY(partitions->finish());
  RowPartitions whole = std::move(*std::exchange(partitions, std::nullopt));
  for (const SpilledRows& part : whole.parts()) {
    if (part.rows() > 0) HELVE_TRY(read(part, whole.level()));
  }
  return {};
}

// Fills an empty batch from what gives rows one by one; false at the end.
template <typename Rows>
Result<bool> take_rows(Rows& rows, std::size_t rows_max, Batch& batch) {
  while (batch.rows < rows_max) {
    HELVE_ASSIGN(const bool has_row, rows.next());
    if (!has_row) break;
    const std::span<const Id> row = rows.row();
    for (std::size_t i = 0; i < row.size(); ++i) batch.columns[i].push_back(row[i]);
    ++batch.rows;
  }
  return batch.rows > 0;
}

}  // namespace helve::sparql
