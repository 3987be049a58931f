// Operator: a step of a plan that gives solutions in batches. RowExpander is the common form of
// those that turn each row of their input into any number of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/paced_check.h"
#include "base/result.h"
#include "sources/sparql/engine/batch.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/passes.h"
#include "sources/sparql/engine/service.h"

namespace helve::sparql {

struct PlanNode;

// What is kept of a plan for people.
enum class Explain : std::uint8_t {
  None,
  Plan,      // the steps and what is expected of them
  Measured,  // and what they did
};

// What the operators of one query share. Outlives them.
struct RunState {
  const OpContext& op;
  TermTable& terms;
  EvaluationContext& expressions;
  ServiceResolver* services = nullptr;
  PassSet passes = PassSet::all();
  MemoryCharge batches;  // of all operators
  Explain explain = Explain::None;
  double parallel_cost_min = 0;
  std::ptrdiff_t measured_bytes = 0;  // charged by steps below the one being measured
  std::uint64_t spilled_bytes = 0;    // written to temporary files by all operators
  std::uint64_t measured_spill = 0;   // by steps below the one being measured
  bool is_eager = false;  // all rows will be asked for: batches are large from a restart on
  // One for all operators: a thousand of them that do little each are still stopped in time.
  mutable PacedCheck pace{op};

  MemoryBudget& memory() const { return *op.memory; }
  // Of the first batch of an operator that gives up to `rows_max` in later ones.
  std::size_t first_rows(std::size_t rows_max) const { return is_eager ? rows_max : 1; }
  const Snapshot& data() const { return terms.snapshot(); }
  // An error once damaged data was met. To be asked before anything that was read is handed out,
  // texts of terms included.
  Result<void> check_data() const {
    if (auto failure = data().failure()) [[unlikely]]
      return *std::move(failure);
    return {};
  }
};

// Fewer rows where there are many columns, so that a wide plan stays small.
inline constexpr std::size_t kIdsPerBatch = 16'384;
inline std::size_t batch_rows(std::size_t columns) {
  return std::clamp<std::size_t>(kIdsPerBatch / std::max<std::size_t>(columns, 1), 1, Batch::kRows);
}

class Operator {
 public:
  explicit Operator(Schema schema) : schema_(std::move(schema)) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  const Schema& schema() const { return schema_; }
  std::size_t row_bytes() const { return schema_.size() * sizeof(Id); }
  // The next rows, about batch_rows() at most. False, and an empty batch, at the end. Checks
  // deadline, cancellation and memory as it works; rows found before such an error are given first.
  virtual Result<bool> next(Batch& batch) = 0;
  // Starts again: the seed or the active graph has changed.
  virtual void restart() = 0;

  // The variable by whose ids the rows ascend; empty: none is known.
  const std::string& sorted_by() const { return sorted_by_; }
  void set_sorted_by(std::string variable) { sorted_by_ = std::move(variable); }

  // Null where no one asked for the plan.
  PlanNode* plan_node() const { return node_; }
  void set_plan_node(PlanNode* node) { node_ = node; }

 protected:
  std::size_t rows_max() const { return batch_rows(schema_.size()); }

 private:
  Schema schema_;
  std::string sorted_by_;
  PlanNode* node_ = nullptr;
};

using OperatorPtr = std::unique_ptr<Operator>;

// The columns of the input come first, in the same order.
class RowExpander : public Operator {
 public:
  Result<bool> next(Batch& batch) override;
  void restart() override;

 protected:
  RowExpander(OperatorPtr input, Schema schema, const RunState& run);

  // Prepares for the row row() of input().
  virtual Result<void> begin_row() = 0;
  // Appends rows until `out` is_full() or there are no more; true: no more. May return false early,
  // to be called again.
  virtual Result<bool> produce(Batch& out) = 0;

  const Batch& input() const { return batch_; }
  std::size_t row() const { return row_; }
  std::size_t input_columns() const { return input_->schema().size(); }
  std::size_t rows_wanted() const { return rows_wanted_; }
  bool is_full(const Batch& out) const { return out.rows >= rows_wanted_; }
  // Appends the input row, the other columns unbound.
  void append_input(Batch& out) const;
  // To be called for rows that are made or looked at: some 4,000 narrow ones a check.
  Result<void> pace(std::uint64_t items) { return pace_.add(items * row_bytes(), items); }

 private:
  Result<bool> advance();
  Result<void> fill(Batch& out);

  OperatorPtr input_;
  PacedCheck& pace_;
  Batch batch_;
  std::size_t row_ = 0;
  bool has_row_ = false;
  // Of the next batch. One at first and then more and more: EXISTS, ASK and small LIMITs want no
  // others.
  std::size_t rows_wanted_ = 1;
  std::optional<Error> pending_;  // met behind rows that were given first
};

}  // namespace helve::sparql
