// DISTINCT: by hash, or by comparing neighbours where equal rows come together.
#include <memory>
#include <utility>
#include <vector>

#include "sources/sparql/engine/distinct_set.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_selector.h"

namespace helve::sparql {

namespace {

class HashedDistinct final : public RowSelector {
 public:
  HashedDistinct(OperatorPtr input, Schema schema, RunState& run)
      : RowSelector(std::move(input), std::move(schema), run),
        seen_(this->schema().size(), run, "DISTINCT") {}

  void restart() override {
    RowSelector::restart();
    seen_.clear();
  }

 protected:
  void select(const Batch& batch, Selection& selection) override {
    selection.rows.clear();
    columns_.clear();
    for (const auto& column : batch.columns) columns_.push_back(column.data());
    auto inserted = seen_.insert(columns_, batch.rows, selection.rows);
    if (!inserted) selection.failure = std::move(inserted).error();
  }

  Result<bool> next_held(Batch& batch) override {
    batch.reset(schema().size());
    if (!seen_.has_held()) return false;
    return take_rows(seen_.held(), rows_max(), batch);
  }

 private:
  DistinctSet seen_;
  std::vector<const Id*> columns_;
};

// Equal rows stand together: remembers one.
class SortedDistinct final : public RowSelector {
 public:
  SortedDistinct(OperatorPtr input, Schema schema, const RunState& run)
      : RowSelector(std::move(input), std::move(schema), run) {}

  void restart() override {
    RowSelector::restart();
    has_last_ = false;
  }

 protected:
  void select(const Batch& batch, Selection& selection) override {
    is_new_.assign(batch.rows, 0);
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      const std::vector<Id>& column = batch.columns[i];
      is_new_[0] |= static_cast<std::uint8_t>(!has_last_ || last_[i] != column[0]);
      for (std::size_t row = 1; row < batch.rows; ++row) {
        is_new_[row] |= static_cast<std::uint8_t>(column[row] != column[row - 1]);
      }
    }
    if (batch.columns.empty()) is_new_[0] = static_cast<std::uint8_t>(!has_last_);
    std::erase_if(selection.rows, [&](std::uint32_t row) { return is_new_[row] == 0; });
    last_.clear();
    for (const auto& column : batch.columns) last_.push_back(column[batch.rows - 1]);
    has_last_ = true;
  }

 private:
  std::vector<std::uint8_t> is_new_;
  std::vector<Id> last_;
  bool has_last_ = false;
};

}  // namespace

OperatorPtr make_distinct(OperatorPtr input, RunState& run, bool is_sorted) {
  Schema schema = input->schema();
  if (is_sorted) {
    return std::make_unique<SortedDistinct>(std::move(input), std::move(schema), run);
  }
  return std::make_unique<HashedDistinct>(std::move(input), std::move(schema), run);
}

}  // namespace helve::sparql
