#include "sources/sparql/engine/distinct_overflow.h"

#include <utility>

#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

Result<void> NumberedRuns::begin() {
  if (file_ == nullptr) {
    HELVE_ASSIGN(file_, make_spill_file(*run_, what_));
  }
  return runs_.emplace_back(file_, width_, *run_, what_).reserve();
}

Result<bool> NumberedRuns::next() {
  if (merge_ == nullptr) {
    const auto make_cursor = [this](const SpilledRows& rows) {
      return NumberedCursor(rows, *run_, what_);
    };
    file_.reset();  // the runs have it
    HELVE_TRY(merge_down<NumberedCursor>(runs_, make_cursor, *run_, what_));
    std::vector<NumberedCursor> cursors;
    for (const SpilledRows& rows : runs_) cursors.push_back(make_cursor(rows));
    merge_ = std::make_unique<RowMerge<NumberedCursor>>(std::move(cursors));
  }
  return merge_->next();
}

DistinctOverflow::DistinctOverflow(std::size_t width, RowPartitions partitions, RunState& run,
                                   std::string_view what)
    : width_(width),
      run_(&run),
      what_(what),
      partitions_(std::move(partitions)),
      runs_(width + 1, run, what) {}

Result<DistinctOverflow> DistinctOverflow::make(std::size_t width, RunState& run,
                                                std::string_view what) {
  HELVE_ASSIGN(RowPartitions partitions, RowPartitions::make(width + 1, 0, run, what));
  return DistinctOverflow(width, std::move(partitions), run, what);
}

Result<void> DistinctOverflow::append(std::span<const Id> row) {
  row_.assign(row.begin(), row.end());
  row_.push_back(Id::from_bits(appended_++));
  return partitions_->append(row, row_);
}

Result<bool> DistinctOverflow::next() {
  HELVE_TRY(read(partitions_));
  return runs_.next();
}

Result<void> DistinctOverflow::read(std::optional<RowPartitions>& partitions) {
  return read_parts(partitions,
                    [this](const SpilledRows& part, int level) { return read_part(part, level); });
}

// What finds no room in memory here either is spread once more, otherwise.
Result<void> DistinctOverflow::read_part(const SpilledRows& rows, int level) {
  std::optional<RowPartitions> rest;
  {
    RowSet seen(width_, run_->memory(), what_);
    SpilledRows::Reader reader(rows, *run_, what_);
    HELVE_TRY(runs_.begin());
    while (true) {
      HELVE_ASSIGN(const bool has_row, reader.next());
      if (!has_row) break;
      HELVE_TRY(run_->pace.add(0, 1));
      const std::span<const Id> row = reader.row();
      const std::span<const Id> key = row.first(width_);
      if (!rest) {
        auto inserted = seen.insert(key);
        if (inserted) {
          if (inserted->is_new) HELVE_TRY(runs_.append(row));
          if (!inserted->is_new || !is_table_large(*run_, seen.bytes(), seen.bytes())) continue;
        }
        if (level == RowPartitions::kLevelsMax) {
          if (!inserted) return std::move(inserted).error();
          continue;
        }
        HELVE_ASSIGN(rest, RowPartitions::make(width_ + 1, level + 1, *run_, what_));
        if (inserted) continue;
      }
      if (!seen.contains(key)) HELVE_TRY(rest->append(key, row));
    }
    HELVE_TRY(runs_.end());
  }
  return read(rest);
}

}  // namespace helve::sparql
