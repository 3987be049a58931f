#include "sources/sparql/engine/filter_rows.h"

#include <algorithm>
#include <utility>

#include "sources/sparql/engine/joins.h"
#include "sources/sparql/engine/row_selector.h"

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

class FilterBatches final : public RowSelector {
 public:
  FilterBatches(OperatorPtr input, Schema schema, std::vector<BoundExpression> conditions,
                RunState& run)
      : RowSelector(std::move(input), std::move(schema), run),
        conditions_(std::move(conditions)),
        run_(run) {}

 protected:
  void select(const Batch& batch, Selection& selection) override {
    for (BoundExpression& condition : conditions_) {
      if (selection.rows.empty()) return;
      condition.filter(batch, selection, run_.expressions);
    }
  }

 private:
  std::vector<BoundExpression> conditions_;
  RunState& run_;
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
