// DISTINCT: by hash, or by comparing neighbours where equal rows come together.
#include <numeric>
#include <utility>

#include "sources/sparql/engine/id_table.h"
#include "sources/sparql/engine/modifiers.h"
#include "sources/sparql/engine/row_selector.h"
#include "sources/sparql/engine/row_table.h"

namespace helve::sparql {

namespace {

constexpr std::string_view kName = "DISTINCT";

template <std::size_t kWidth>
class NarrowDistinct final : public RowSelector {
 public:
  NarrowDistinct(OperatorPtr input, Schema schema, RunState& run)
      : RowSelector(std::move(input), std::move(schema), run), seen_(run.memory(), kName) {}

  void restart() override {
    RowSelector::restart();
    seen_.clear();
  }

 protected:
  void select(const Batch& batch, Selection& selection) override {
    typename IdTable<kWidth>::Columns columns;
    for (std::size_t i = 0; i < kWidth; ++i) columns[i] = batch.columns[i].data();
    selection.rows.clear();
    auto inserted = seen_.insert(columns, batch.rows, selection.rows);
    if (!inserted) selection.failure = std::move(inserted).error();
  }

 private:
  IdTable<kWidth> seen_;
};

class WideDistinct final : public RowSelector {
 public:
  WideDistinct(OperatorPtr input, Schema schema, RunState& run)
      : RowSelector(std::move(input), std::move(schema), run),
        seen_(this->schema().size(), run.memory(), kName) {}

  void restart() override {
    RowSelector::restart();
    seen_.clear();
  }

 protected:
  void select(const Batch& batch, Selection& selection) override {
    selection.rows.clear();
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      ids_.clear();
      for (const auto& column : batch.columns) ids_.push_back(column[row]);
      auto inserted = seen_.insert(ids_);
      if (!inserted) {
        selection.failure = std::move(inserted).error();
        return;
      }
      if (inserted->is_new) selection.rows.push_back(row);
    }
  }

 private:
  RowSet seen_;
  std::vector<Id> ids_;
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
  switch (schema.size()) {
    case 1:
      return std::make_unique<NarrowDistinct<1>>(std::move(input), std::move(schema), run);
    case 2:
      return std::make_unique<NarrowDistinct<2>>(std::move(input), std::move(schema), run);
    default:
      return std::make_unique<WideDistinct>(std::move(input), std::move(schema), run);
  }
}

}  // namespace helve::sparql
