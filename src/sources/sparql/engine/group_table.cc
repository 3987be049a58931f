#include "sources/sparql/engine/group_table.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/batch_operator.h"
#include "sources/sparql/engine/spilled_rows.h"

namespace helve::sparql {

GroupKeys::GroupKeys(std::size_t width, bool is_sorted, MemoryBudget& budget)
    : is_sorted_(is_sorted),
      one_(budget, kGroupName),
      two_(budget, kGroupName),
      many_(width, budget, kGroupName) {
  for (std::size_t i = 0; i < width; ++i) keys_.emplace_back(budget, kGroupName);
}

std::size_t GroupKeys::bytes() const {
  std::size_t bytes = one_.bytes() + two_.bytes() + many_.bytes();
  for (const auto& column : keys_) bytes += column.bytes();
  return bytes;
}

Result<void> GroupKeys::number(const KeyColumns& columns, std::size_t rows,
                               std::vector<std::uint32_t>& groups) {
  groups.resize(rows);
  if (columns.empty()) {
    std::fill(groups.begin(), groups.end(), 0);
    return {};
  }
  if (is_sorted_) {
    number_runs(columns, groups);
  } else if (columns.size() == 1) {
    HELVE_TRY(one_.number({columns[0]}, rows, groups.data()));
  } else if (columns.size() == 2) {
    HELVE_TRY(two_.number({columns[0], columns[1]}, rows, groups.data()));
  } else {
    HELVE_TRY(number_wide(columns, groups));
  }
  return add_keys(columns, groups);
}

std::optional<std::uint32_t> GroupKeys::find(std::span<const Id> key) const {
  if (key.size() == 1) return one_.find(key);
  if (key.size() == 2) return two_.find(key);
  const std::uint32_t group = many_.find(key);
  return group != RowTable::kNone ? std::optional(group) : std::nullopt;
}

void GroupKeys::keep_last() {
  for (auto& column : keys_) column.keep_last();
  count_ = 1;
}

void GroupKeys::clear() {
  one_.clear();
  two_.clear();
  many_.clear();
  for (auto& column : keys_) column.clear();
  count_ = 0;
}

bool GroupKeys::is_last_key(const KeyColumns& columns, std::size_t row) const {
  if (row == 0 && count_ == 0) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Id before = row > 0 ? columns[i][row - 1] : keys_[i][count_ - 1];
    if (columns[i][row] != before) return false;
  }
  return true;
}

// A group ends where another key begins.
void GroupKeys::number_runs(const KeyColumns& columns, std::vector<std::uint32_t>& groups) const {
  std::uint32_t next = count_;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (!is_last_key(columns, row)) ++next;
    groups[row] = next - 1;
  }
}

Result<void> GroupKeys::number_wide(const KeyColumns& columns, std::vector<std::uint32_t>& groups) {
  for (std::size_t row = 0; row < groups.size(); ++row) {
    ids_.clear();
    for (const Id* column : columns) ids_.push_back(column[row]);
    HELVE_ASSIGN(const RowSet::Inserted inserted, many_.insert(ids_));
    groups[row] = inserted.row;
  }
  return {};
}

// New groups come in the order of their numbers.
Result<void> GroupKeys::add_keys(const KeyColumns& columns,
                                 const std::vector<std::uint32_t>& groups) {
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (groups[row] < count_) continue;
    ++count_;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      HELVE_TRY(keys_[i].grow_to(count_, columns[i][row]));
    }
  }
  return {};
}

GroupTable::GroupTable(std::size_t keys, const std::vector<AggregateColumn>& aggregates,
                       std::size_t width, bool is_sorted, RunState& run)
    : key_count_(keys), width_(width), run_(run), keys_(keys, is_sorted, run.memory()) {
  const auto distinct = std::count_if(
      aggregates.begin(), aggregates.end(),
      [](const AggregateColumn& column) { return remembers_values(column.aggregate); });
  const GroupShape shape{width, keys == 0, static_cast<std::size_t>(distinct)};
  for (const AggregateColumn& column : aggregates) {
    aggregates_.push_back(make_group_aggregate(column, shape, run));
  }
}

// Its vectors double, one by one, and each has twice its memory meanwhile.
bool GroupTable::is_large() const {
  std::size_t bytes = keys_.bytes();
  for (const auto& aggregate : aggregates_) bytes += aggregate->bytes();
  return is_table_large(run_, bytes + bytes / 2, bytes);
}

Result<void> GroupTable::aggregate(const GroupedRows& rows) {
  for (const auto& aggregate : aggregates_) {
    HELVE_TRY(aggregate->add(rows));
    if (run_.expressions.failure()) return *run_.expressions.failure();
  }
  return {};
}

Result<void> GroupTable::add(const Batch& rows, std::size_t first, std::size_t count,
                             const KeyColumns& keys) {
  HELVE_TRY(keys_.number(keys, count, groups_));
  return aggregate({rows, first, groups_, keys_.count()});
}

std::size_t GroupTable::rows_at_once(const RunState& run) {
  constexpr std::size_t kSmallMemory = 64 * kMiB;
  constexpr std::size_t kFew = 256;
  return can_spill(run) && run.memory().bytes_limit() < kSmallMemory ? kFew : Batch::kRows;
}

Result<void> GroupTable::add_known(const Batch& rows, std::size_t first, const KeyColumns& keys,
                                   std::vector<std::uint32_t>& unknown) {
  groups_.clear();
  known_rows_.clear();
  for (std::uint32_t row = 0; row < rows.rows - first; ++row) {
    key_.clear();
    for (const Id* column : keys) key_.push_back(column[row]);
    if (const auto group = keys_.find(key_)) {
      groups_.push_back(*group);
      known_rows_.push_back(static_cast<std::uint32_t>(first) + row);
    } else {
      unknown.push_back(row);
    }
  }
  if (known_rows_.empty()) return {};
  known_.reset(rows.columns.size());
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    gather(rows.columns[i], known_rows_, known_.columns[i]);
  }
  known_.rows = known_rows_.size();
  return aggregate({known_, 0, groups_, keys_.count()});
}

Result<void> GroupTable::settle(std::uint32_t end) {
  for (const auto& aggregate : aggregates_) HELVE_TRY(aggregate->settle(end));
  return {};
}

Result<void> GroupTable::finish() {
  known_.reset(width_);
  HELVE_TRY(aggregate({known_, 0, {}, keys_.count()}));
  return settle(keys_.count());
}

Result<void> GroupTable::append(std::uint32_t group, std::vector<Id>& row) {
  for (std::size_t i = 0; i < key_count_; ++i) row.push_back(keys_.key(group, i));
  for (const auto& aggregate : aggregates_) {
    row.push_back(run_.expressions.to_id(aggregate->finish(group)));
  }
  if (run_.expressions.failure()) return *run_.expressions.failure();
  return {};
}

void GroupTable::keep_last() {
  keys_.keep_last();
  for (const auto& aggregate : aggregates_) aggregate->keep_last();
}

void GroupTable::clear() {
  keys_.clear();
  for (const auto& aggregate : aggregates_) aggregate->clear();
}

}  // namespace helve::sparql
