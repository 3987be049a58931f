#include "sources/sparql/engine/group_overflow.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

// Rows that were set aside, a batch at a time.
struct HeldBatch {
  Batch rows;
  std::vector<std::vector<Id>> keys;
  std::vector<Id> numbers;

  // False at the end.
  Result<bool> fill(SpilledRows::Reader& reader, std::size_t key_count, std::size_t width,
                    std::size_t rows_max) {
    rows.reset(width);
    keys.resize(key_count);
    for (auto& column : keys) column.clear();
    numbers.clear();
    while (rows.rows < rows_max) {
      HELVE_ASSIGN(const bool has_row, reader.next());
      if (!has_row) break;
      const std::span<const Id> held = reader.row();
      for (std::size_t i = 0; i < key_count; ++i) keys[i].push_back(held[i]);
      for (std::size_t i = 0; i < width; ++i) rows.columns[i].push_back(held[key_count + i]);
      numbers.push_back(held.back());
      ++rows.rows;
    }
    return rows.rows > 0;
  }

  KeyColumns key_columns() const {
    KeyColumns columns;
    for (const auto& column : keys) columns.push_back(column.data());
    return columns;
  }

  // Keys, the row, its number.
  void held(std::size_t row, std::vector<Id>& ids) const {
    ids.clear();
    for (const auto& column : keys) ids.push_back(column[row]);
    for (const auto& column : rows.columns) ids.push_back(column[row]);
    ids.push_back(numbers[row]);
  }
};

}  // namespace

GroupOverflow::GroupOverflow(std::size_t keys, const std::vector<AggregateColumn>& aggregates,
                             std::size_t width, RowPartitions partitions, RunState& run)
    : key_count_(keys),
      aggregates_(&aggregates),
      width_(width),
      run_(&run),
      partitions_(std::move(partitions)),
      runs_(keys + aggregates.size() + 1, run, kGroupName) {}

Result<GroupOverflow> GroupOverflow::make(std::size_t keys,
                                          const std::vector<AggregateColumn>& aggregates,
                                          std::size_t width, RunState& run) {
  HELVE_ASSIGN(RowPartitions partitions, RowPartitions::make(keys + width + 1, 0, run, kGroupName));
  return GroupOverflow(keys, aggregates, width, std::move(partitions), run);
}

Result<void> GroupOverflow::append(const Batch& rows, std::size_t first, const KeyColumns& keys,
                                   const std::vector<std::uint32_t>& chosen) {
  for (const std::uint32_t row : chosen) {
    held_.clear();
    for (const Id* column : keys) held_.push_back(column[row]);
    for (const auto& column : rows.columns) held_.push_back(column[first + row]);
    held_.push_back(Id::from_bits(appended_++));
    HELVE_TRY(partitions_->append(std::span(held_).first(key_count_), held_));
  }
  return {};
}

Result<bool> GroupOverflow::next() {
  HELVE_TRY(read(partitions_));
  return runs_.next();
}

Result<void> GroupOverflow::read(std::optional<RowPartitions>& partitions) {
  return read_parts(partitions,
                    [this](const SpilledRows& part, int level) { return read_part(part, level); });
}

// Groups that find no room here either are spread once more, otherwise.
Result<void> GroupOverflow::read_part(const SpilledRows& rows, int level) {
  std::optional<RowPartitions> rest;
  {
    const std::size_t rows_max =
        std::min(batch_rows(width_held()), GroupTable::rows_at_once(*run_));
    MemoryCharge charge(run_->memory(), kGroupName);
    HELVE_TRY(charge.add(2 * rows_max * width_held() * sizeof(Id)));
    GroupTable table(key_count_, *aggregates_, width_, false, *run_);
    ChargedVector<Id> numbers(run_->memory(), kGroupName);  // of the first row of each group
    SpilledRows::Reader reader(rows, *run_, kGroupName);
    HeldBatch batch;
    std::vector<std::uint32_t> unknown;
    HELVE_TRY(runs_.begin());
    while (true) {
      HELVE_ASSIGN(const bool has_rows, batch.fill(reader, key_count_, width_, rows_max));
      if (!has_rows) break;
      HELVE_TRY(run_->pace.add(0, batch.rows.rows * (1 + key_count_ + aggregates_->size())));
      const KeyColumns keys = batch.key_columns();
      if (rest) {
        unknown.clear();
        HELVE_TRY(table.add_known(batch.rows, 0, keys, unknown));
        for (const std::uint32_t row : unknown) {
          batch.held(row, held_);
          HELVE_TRY(rest->append(std::span(held_).first(key_count_), held_));
        }
        continue;
      }
      HELVE_TRY(table.add(batch.rows, 0, batch.rows.rows, keys));
      for (std::size_t row = 0; row < batch.rows.rows; ++row) {
        const std::uint32_t group = table.group_of(row);
        if (group >= numbers.size()) HELVE_TRY(numbers.grow_to(group + 1, batch.numbers[row]));
      }
      if (table.is_large() && level < RowPartitions::kLevelsMax) {
        HELVE_ASSIGN(rest, RowPartitions::make(width_held(), level + 1, *run_, kGroupName));
      }
    }
    HELVE_TRY(table.finish());
    for (std::uint32_t group = 0; group < table.count(); ++group) {
      HELVE_TRY(run_->pace.add(0, 1));
      held_.clear();
      HELVE_TRY(table.append(group, held_));
      held_.push_back(numbers[group]);
      HELVE_TRY(runs_.append(held_));
    }
    HELVE_TRY(runs_.end());
  }
  return read(rest);
}

}  // namespace helve::sparql
