#include "sources/sparql/engine/filter_rows.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/joins.h"

namespace helve::sparql {

namespace {

class FilterRows final : public RowExpander {
 public:
  FilterRows(OperatorPtr input, Schema schema, std::vector<BoundExpression> conditions,
             RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        conditions_(std::move(conditions)),
        run_(run) {}

 protected:
  Result<void> begin_row() override { return {}; }
  Result<bool> produce(Batch& out) override {
    HELVE_TRY(pace(1));
    HELVE_ASSIGN(const bool is_wanted, all_true(conditions_, input(), row(), run_));
    if (is_wanted) append_input(out);
    return true;
  }

 private:
  std::vector<BoundExpression> conditions_;
  RunState& run_;
};

// Takes the batches of its input as they come, and puts what is left of small ones together.
class FilterBatches final : public Operator {
 public:
  FilterBatches(OperatorPtr input, Schema schema, std::vector<BoundExpression> conditions,
                RunState& run)
      : Operator(std::move(schema)),
        input_(std::move(input)),
        conditions_(std::move(conditions)),
        run_(run),
        pace_(run.op) {}

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    while (batch.rows < rows_wanted_) {
      if (!has_found_) {
        if (pending_) break;
        auto found = find();
        if (!found) pending_ = std::move(found).error();
        if (!found || !*found) break;
      }
      if (!take(batch)) break;
    }
    constexpr std::size_t kGrowth = 8;
    rows_wanted_ = std::min(rows_wanted_ * kGrowth, std::max<std::size_t>(rows_max() / 2, 1));
    if (batch.rows == 0 && pending_) return *pending_;
    return batch.rows > 0;
  }

  void restart() override {
    input_->restart();
    has_found_ = false;
    rows_wanted_ = 1;
    pending_.reset();
  }

 private:
  // The rows of the next batch that are wanted; false at the end of the input.
  Result<bool> find() {
    HELVE_ASSIGN(const bool has_rows, input_->next(found_));
    if (!has_rows) return false;
    HELVE_TRY(pace_.add(0, 2 * found_.rows));
    selection_.set_all(found_.rows);
    for (BoundExpression& condition : conditions_) {
      if (selection_.rows.empty()) break;
      condition.filter(found_, selection_, run_.expressions);
    }
    has_found_ = true;
    pending_ = selection_.failure;
    return true;
  }

  // Appends what was found, or moves it where that does; false when there is no room.
  bool take(Batch& batch) {
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

  static void compact(Batch& batch, const std::vector<std::uint32_t>& rows) {
    if (rows.size() == batch.rows) return;
    for (auto& column : batch.columns) {
      for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
      column.resize(rows.size());
    }
    batch.rows = rows.size();
  }

  OperatorPtr input_;
  std::vector<BoundExpression> conditions_;
  RunState& run_;
  PacedCheck pace_;
  Batch found_;
  Selection selection_;  // of found_
  bool has_found_ = false;
  // Of the next batch, at least. One at first and then more and more, as in RowExpander.
  std::size_t rows_wanted_ = 1;
  std::optional<Error> pending_;  // met behind rows that are given first
};

}  // namespace

OperatorPtr make_filter(OperatorPtr input, std::vector<BoundExpression> conditions, RunState& run) {
  Schema schema = input->schema();
  const bool is_batched =
      run.passes.has(Pass::BatchFilters) &&
      std::all_of(conditions.begin(), conditions.end(),
                  [](const auto& condition) { return condition.is_repeatable(); });
  if (is_batched) {
    return std::make_unique<FilterBatches>(std::move(input), std::move(schema),
                                           std::move(conditions), run);
  }
  return std::make_unique<FilterRows>(std::move(input), std::move(schema), std::move(conditions),
                                      run);
}

}  // namespace helve::sparql
