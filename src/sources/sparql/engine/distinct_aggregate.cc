#include "sources/sparql/engine/distinct_aggregate.h"

#include <algorithm>
#include <utility>

namespace helve::sparql {

namespace {

std::size_t width_seen(const AggregateColumn& column, const GroupShape& shape) {
  return (column.argument ? 1 : shape.width) + (shape.is_single ? 0 : 1);
}

}  // namespace

DistinctAggregate::DistinctAggregate(const AggregateColumn& column, const GroupShape& shape,
                                     RunState& run, std::unique_ptr<GroupAggregate> plain)
    : argument_(column.argument ? &*column.argument : nullptr),
      is_single_(shape.is_single),
      run_(run),
      plain_(std::move(plain)),
      seen_(width_seen(column, shape), run, "aggregates", shape.distinct_aggregates - 1) {}

Result<void> DistinctAggregate::add(const GroupedRows& rows) {
  group_count_ = rows.group_count;
  given_.reset(argument_ != nullptr ? 1 : 0);
  given_groups_.clear();
  read(rows);
  if (run_.expressions.failure()) return {};
  fresh_.clear();
  HELVE_TRY(seen_.insert(columns_, rows_, fresh_));
  for (const std::uint32_t row : fresh_) given_groups_.push_back(row_groups_[row]);
  if (argument_ != nullptr) {
    for (const std::uint32_t row : fresh_) given_.columns[0].push_back(columns_.back()[row]);
  }
  return give();
}

void DistinctAggregate::read(const GroupedRows& rows) {
  row_groups_.assign(rows.groups.begin(), rows.groups.end());
  columns_.clear();
  if (!is_single_) columns_.push_back(nullptr);
  if (argument_ == nullptr) {
    for (std::size_t i = 0; i < rows.batch.columns.size(); ++i) {
      columns_.push_back(rows.column(i).data());
    }
  } else {
    const Id* values = read_values(rows);
    if (run_.expressions.failure()) return;
    const auto is_unbound = [](Id id) { return !id.is_defined(); };
    if (std::any_of(values, values + row_groups_.size(), is_unbound)) {
      take_unbound_out(values);
      values = values_.data();
    }
    columns_.push_back(values);
  }
  rows_ = row_groups_.size();
  if (is_single_) return;
  groups_.clear();
  for (const std::uint32_t group : row_groups_) {
    groups_.push_back(Id::from_bits(first_group_ + group));
  }
  columns_[0] = groups_.data();
}

const Id* DistinctAggregate::read_values(const GroupedRows& rows) {
  if (const auto column = argument_->column()) return rows.column(*column).data();
  values_.clear();
  for (std::size_t i = 0; i < rows.groups.size() && !run_.expressions.failure(); ++i) {
    const Value value = argument_->value(rows.batch, rows.first + i, run_.expressions);
    values_.push_back(run_.expressions.to_id(value));
  }
  return values_.data();
}

// Each group would have an unbound value of its own to be remembered, and most often no other.
void DistinctAggregate::take_unbound_out(const Id* values) {
  values_.resize(std::max(values_.size(), row_groups_.size()));  // may be where they are
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row_groups_.size(); ++i) {
    if (values[i].is_defined()) {
      values_[kept] = values[i];
      row_groups_[kept++] = row_groups_[i];
    } else {
      given_groups_.push_back(row_groups_[i]);
      given_.columns[0].push_back(values[i]);
    }
  }
  row_groups_.resize(kept);
}

Result<void> DistinctAggregate::give() {
  given_.rows = given_groups_.size();
  return plain_->add({given_, 0, given_groups_, group_count_});
}

// The values of groups that are settled are of no more use.
Result<void> DistinctAggregate::settle(std::uint32_t end) {
  constexpr std::size_t kWorthForgetting = 16'384;
  if (first_group_ + end <= settled_) return {};
  settled_ = first_group_ + end;
  const bool has_open = end < group_count_;
  if (seen_.has_held()) {
    HELVE_TRY(give_held());
  } else if (!has_open || seen_.size() < kWorthForgetting) {
    return {};
  }
  seen_.clear();
  return has_open ? remember_open() : Result<void>();
}

Result<void> DistinctAggregate::give_held() {
  Batch rows;
  while (true) {
    rows.reset(columns_.size());
    HELVE_ASSIGN(const bool has_rows,
                 take_rows(seen_.held(), batch_rows(rows.columns.size()), rows));
    if (!has_rows) return {};
    HELVE_TRY(run_.pace.add(0, rows.rows));
    given_groups_.assign(rows.rows, 0);
    for (std::size_t i = 0; !is_single_ && i < rows.rows; ++i) {
      given_groups_[i] = static_cast<std::uint32_t>(rows.columns[0][i].bits() - first_group_);
    }
    given_.reset(argument_ != nullptr ? 1 : 0);
    if (argument_ != nullptr) given_.columns[0].swap(rows.columns.back());
    HELVE_TRY(give());
    if (run_.expressions.failure()) return *run_.expressions.failure();
  }
}

// They have all begun in the rows that were added last.
Result<void> DistinctAggregate::remember_open() {
  std::size_t first = 0;
  while (first < rows_ && groups_[first].bits() < settled_) ++first;
  for (const Id*& column : columns_) column += first;
  return seen_.remember(columns_, rows_ - first);
}

void DistinctAggregate::keep_last() {
  plain_->keep_last();
  if (group_count_ < 2) return;
  first_group_ += group_count_ - 1;
  group_count_ = 1;
}

void DistinctAggregate::clear() {
  plain_->clear();
  seen_.clear();
  first_group_ = 0;
  settled_ = 0;
  group_count_ = 0;
}

}  // namespace helve::sparql
