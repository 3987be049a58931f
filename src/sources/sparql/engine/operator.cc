#include "sources/sparql/engine/operator.h"

#include <utility>

namespace helve::sparql {

RowExpander::RowExpander(OperatorPtr input, Schema schema, const RunState& run)
    : Operator(std::move(schema)), input_(std::move(input)), pace_(run.pace) {}

void RowExpander::restart() {
  input_->restart();
  batch_.reset(input_columns());
  row_ = 0;
  has_row_ = false;
  rows_wanted_ = 1;
  pending_.reset();
}

void RowExpander::append_input(Batch& out) const {
  const std::size_t columns = input_columns();
  for (std::size_t column = 0; column < columns; ++column) {
    out.columns[column].push_back(batch_.at(column, row_));
  }
  for (std::size_t column = columns; column < out.columns.size(); ++column) {
    out.columns[column].emplace_back();
  }
  ++out.rows;
}

// To the next row of the input; false at its end.
Result<bool> RowExpander::advance() {
  if (row_ + 1 < batch_.rows) {
    ++row_;
  } else {
    HELVE_ASSIGN(const bool has_more, input_->next(batch_));
    if (!has_more) return false;
    row_ = 0;
  }
  HELVE_TRY(pace(1));
  HELVE_TRY(begin_row());
  return true;
}

Result<void> RowExpander::fill(Batch& out) {
  while (!is_full(out)) {
    if (!has_row_) {
      HELVE_ASSIGN(has_row_, advance());
      if (!has_row_) return {};
    }
    HELVE_ASSIGN(const bool is_done, produce(out));
    if (is_done) has_row_ = false;
  }
  return {};
}

Result<bool> RowExpander::next(Batch& batch) {
  batch.reset(schema().size());
  if (pending_) return *pending_;
  if (Result<void> filled = fill(batch); !filled) {
    if (batch.rows == 0) return std::move(filled).error();
    pending_ = std::move(filled).error();
  }
  constexpr std::size_t kGrowth = 8;
  rows_wanted_ = std::min(rows_wanted_ * kGrowth, rows_max());
  return batch.rows > 0;
}

}  // namespace helve::sparql
