// RowSelector: the common form of operators that keep some rows of their input and drop the others,
// a batch at a time: FILTER, DISTINCT.
#pragma once

#include <optional>

#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// Takes the batches of its input as they come, and puts what is left of small ones together.
class RowSelector : public Operator {
 public:
  Result<bool> next(Batch& batch) final;
  void restart() override;

 protected:
  RowSelector(OperatorPtr input, Schema schema, const RunState& run);

  // Narrows the selection, which is the whole batch; an error, if there is one, is the
  // selection's.
  virtual void select(const Batch& batch, Selection& selection) = 0;
  // Rows that come behind those of the input, all of which are wanted; false at the end.
  virtual Result<bool> next_held(Batch& batch) {
    batch.reset(schema().size());
    return false;
  }

 private:
  Result<bool> find();
  bool take(Batch& batch);

  OperatorPtr input_;
  const RunState& run_;
  Batch found_;
  Selection selection_;  // of found_
  bool has_found_ = false;
  bool is_at_end_ = false;  // of the input
  // Of the next batch, at least. One at first and then more and more, as in RowExpander.
  std::size_t rows_wanted_ = 1;
  std::optional<Error> pending_;  // met behind rows that are given first
};

}  // namespace helve::sparql
