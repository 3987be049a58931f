#include "sources/sparql/engine/distinct_set.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

// Rows from the first one on that were looked at where memory ends are `taken`.
template <std::size_t kWidth>
Result<void> insert_into(IdTable<kWidth>& table, DistinctSet::Columns columns, std::size_t rows,
                         std::vector<std::uint32_t>& fresh, std::size_t& /*taken*/) {
  typename IdTable<kWidth>::Columns ids;
  std::copy_n(columns.begin(), kWidth, ids.begin());
  return table.insert(ids, rows, fresh);
}

Result<void> insert_into(RowSet& table, DistinctSet::Columns columns, std::size_t rows,
                         std::vector<std::uint32_t>& fresh, std::size_t& taken) {
  std::vector<Id> ids(columns.size());
  for (; taken < rows; ++taken) {
    for (std::size_t i = 0; i < columns.size(); ++i) ids[i] = columns[i][taken];
    HELVE_ASSIGN(const RowSet::Inserted inserted, table.insert(ids));
    if (inserted.is_new) fresh.push_back(static_cast<std::uint32_t>(taken));
  }
  return {};
}

}  // namespace

DistinctSet::DistinctSet(std::size_t width, RunState& run, std::string_view what,
                         std::size_t neighbours)
    : width_(width),
      run_(&run),
      what_(what),
      neighbours_(neighbours),
      table_(std::in_place_type<IdTable<1>>, run.memory(), what) {
  release();
}

void DistinctSet::release() {
  switch (width_) {
    case 1:
      table_.emplace<IdTable<1>>(run_->memory(), what_);
      break;
    case 2:
      table_.emplace<IdTable<2>>(run_->memory(), what_);
      break;
    default:
      table_.emplace<RowSet>(width_, run_->memory(), what_);
  }
}

std::size_t DistinctSet::size() const {
  return std::visit([](const auto& table) { return std::size_t{table.size()}; }, table_);
}

std::size_t DistinctSet::bytes() const {
  return std::visit([](const auto& table) { return table.bytes(); }, table_);
}

bool DistinctSet::contains(std::span<const Id> row) const {
  return std::visit([&](const auto& table) { return table.contains(row); }, table_);
}

bool DistinctSet::is_full(std::size_t rows) const {
  const std::size_t needed =
      std::visit([&](const auto& table) { return table.bytes_with(rows); }, table_);
  if (neighbours_ == 0 || needed == bytes()) return false;  // what it has is enough
  const std::size_t for_neighbours = neighbours_ * (needed + RowPartitions::buffer_bytes(*run_));
  return is_table_large(*run_, needed + for_neighbours, bytes());
}

Result<void> DistinctSet::insert(Columns columns, std::size_t rows,
                                 std::vector<std::uint32_t>& fresh) {
  std::size_t taken = 0;
  if (!overflow_ && is_full(rows)) {
    HELVE_ASSIGN(overflow_, DistinctOverflow::make(width_, *run_, what_));
  }
  if (!overflow_) {
    const auto into = [&](auto& table) { return insert_into(table, columns, rows, fresh, taken); };
    auto inserted = std::visit(into, table_);
    if (inserted && !is_table_large(*run_, bytes(), bytes())) return {};
    if (!inserted && (!can_spill(*run_) || width_ == 0)) return inserted;
    HELVE_ASSIGN(overflow_, DistinctOverflow::make(width_, *run_, what_));
    if (inserted) return {};
  }
  return set_aside(columns, taken, rows);
}

Result<void> DistinctSet::remember(Columns columns, std::size_t rows) {
  std::size_t taken = 0;
  passed_over_.clear();
  const auto into = [&](auto& table) {
    return insert_into(table, columns, rows, passed_over_, taken);
  };
  return std::visit(into, table_);
}

Result<void> DistinctSet::set_aside(Columns columns, std::size_t first, std::size_t rows) {
  for (std::size_t row = first; row < rows; ++row) {
    row_.clear();
    for (const Id* column : columns) row_.push_back(column[row]);
    if (!contains(row_)) HELVE_TRY(overflow_->append(row_));
  }
  return {};
}

DistinctOverflow& DistinctSet::held() {
  if (bytes() > 0) release();
  return *overflow_;
}

void DistinctSet::clear() {
  overflow_.reset();
  std::visit([](auto& table) { table.clear(); }, table_);
}

}  // namespace helve::sparql
