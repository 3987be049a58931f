#include "sources/sparql/engine/sort_runs.h"

#include <utility>

namespace helve::sparql {

namespace {

constexpr std::string_view kSortRunsName = "ORDER BY";

}  // namespace

RunCursor::RunCursor(const SpilledRows& rows, const RowOrder& order)
    : order_(&order),
      reader_(rows, order.run, kSortRunsName),
      keys_(order.columns.size()),
      has_key_(order.columns.size()) {}

bool RunCursor::has_computed_keys() const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!order_->columns[i].expression.column() && !order_->kept_at[i]) return true;
  }
  return false;
}

// Keys that are computed are so at once: what fails in an expression is met here, never in a
// comparison.
Result<bool> RunCursor::next() {
  HELVE_ASSIGN(const bool has_row, reader_.next());
  if (!has_row) return false;
  has_key_.assign(keys_.size(), false);
  if (!has_computed_keys()) return true;
  batch_.reset(order_->width);
  for (std::size_t column = 0; column < order_->width; ++column) {
    batch_.columns[column].push_back(row()[column]);
  }
  batch_.rows = 1;
  EvaluationContext& expressions = order_->run.expressions;
  expressions.begin_solution();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const BoundExpression& expression = order_->columns[i].expression;
    if (expression.column() || order_->kept_at[i]) continue;
    keys_[i] = SortKey::of(expression.value(batch_, 0, expressions), expressions);
    has_key_[i] = true;
  }
  if (expressions.failure()) return *expressions.failure();
  return true;
}

const SortKey& RunCursor::key(std::size_t i) {
  if (!has_key_[i]) {
    const auto column = order_->columns[i].expression.column();
    const Id id = row()[column ? *column : *order_->kept_at[i]];
    keys_[i] = SortKey::of(id.is_defined() ? Value(id) : Value(), order_->run.expressions);
    has_key_[i] = true;
  }
  return keys_[i];
}

bool RunCursor::is_before(RunCursor& other) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::weak_ordering order = std::weak_ordering::equivalent;
    const auto column = order_->columns[i].expression.column();
    const auto of_ids = column ? order_->ids.compare(row()[*column], other.row()[*column])
                               : std::optional<std::weak_ordering>();
    order = of_ids ? *of_ids : key(i).compare(other.key(i));
    if (std::is_eq(order)) continue;
    return order_->columns[i].is_descending ? std::is_gt(order) : std::is_lt(order);
  }
  return false;
}

Result<void> SortRuns::begin() {
  if (file_ == nullptr) {
    HELVE_ASSIGN(file_, make_spill_file(order_.run, kSortRunsName));
  }
  std::size_t width = order_.width;
  for (const auto& kept : order_.kept_at) width += kept ? 1 : 0;
  return runs_.emplace_back(file_, width, order_.run, kSortRunsName).reserve();
}

Result<bool> SortRuns::next() {
  if (merge_ == nullptr) {
    const auto make_cursor = [this](const SpilledRows& rows) { return RunCursor(rows, order_); };
    file_.reset();  // the runs have it
    HELVE_TRY(merge_down<RunCursor>(runs_, make_cursor, order_.run, kSortRunsName));
    std::vector<RunCursor> cursors;
    for (const SpilledRows& rows : runs_) cursors.push_back(make_cursor(rows));
    merge_ = std::make_unique<RowMerge<RunCursor>>(std::move(cursors));
  }
  return merge_->next();
}

void SortRuns::clear() {
  merge_.reset();
  runs_.clear();
  file_.reset();
}

}  // namespace helve::sparql
