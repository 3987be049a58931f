#include "sources/sparql/engine/row_selector.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

void compact(Batch& batch, const std::vector<std::uint32_t>& rows) {
  if (rows.size() == batch.rows) return;
  for (auto& column : batch.columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
    column.resize(rows.size());
  }
  batch.rows = rows.size();
}

}  // namespace

RowSelector::RowSelector(OperatorPtr input, Schema schema, const RunState& run)
    : Operator(std::move(schema)), input_(std::move(input)), run_(run) {}

Result<bool> RowSelector::next(Batch& batch) {
  batch.reset(schema().size());
  while (batch.rows < rows_wanted_) {
    if (!has_found_) {
      if (pending_) break;
      auto found = find();
      if (!found) {
        pending_ = std::move(found).error();
        break;
      }
      if (!*found) break;
    }
    if (!take(batch)) break;
  }
  constexpr std::size_t kGrowth = 8;
  rows_wanted_ = std::min(rows_wanted_ * kGrowth, std::max<std::size_t>(rows_max() / 2, 1));
  if (batch.rows == 0 && pending_) return *pending_;
  return batch.rows > 0;
}

void RowSelector::restart() {
  input_->restart();
  has_found_ = false;
  is_at_end_ = false;
  rows_wanted_ = run_.first_rows(rows_max());
  pending_.reset();
}

// The rows of the next batch that are wanted; false at the end.
Result<bool> RowSelector::find() {
  if (!is_at_end_) {
    HELVE_ASSIGN(const bool has_rows, input_->next(found_));
    is_at_end_ = !has_rows;
  }
  if (is_at_end_) {
    HELVE_ASSIGN(has_found_, next_held(found_));
    selection_.set_all(found_.rows);
    return has_found_;
  }
  HELVE_TRY(run_.pace.add(0, 2 * found_.rows));
  selection_.set_all(found_.rows);
  select(found_, selection_);
  has_found_ = true;
  pending_ = selection_.failure;
  return true;
}

// Appends what was found, or moves it where that does; false when there is no room.
bool RowSelector::take(Batch& batch) {
  const std::vector<std::uint32_t>& rows = selection_.rows;
  if (batch.rows + rows.size() > rows_max() && batch.rows > 0) return false;
  has_found_ = false;
  if (batch.rows == 0) {
    std::swap(batch, found_);
    compact(batch, rows);
    return true;
  }
  for (std::size_t column = 0; column < batch.columns.size(); ++column) {
    auto& to = batch.columns[column];
    const auto& from = found_.columns[column];
    for (const std::uint32_t row : rows) to.push_back(from[row]);
  }
  batch.rows += rows.size();
  return true;
}

}  // namespace helve::sparql
