// BoundExpression: an expression whose variables know their columns, ready to be evaluated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "base/result.h"
#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/batch.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

// Answers EXISTS for one solution; made by the evaluator, which alone can run patterns.
class PatternProbe {
 public:
  virtual ~PatternProbe() = default;
  virtual Result<bool> exists(const Batch& batch, std::size_t row) = 0;
};
using MakeProbe = std::function<Result<std::unique_ptr<PatternProbe>>(const Exists& exists)>;

// Rows of a batch, ascending, and the hard error that ended them, if one did.
struct Selection {
  std::vector<std::uint32_t> rows;
  std::optional<Error> failure;

  void set_all(std::size_t count) {
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), std::uint32_t{0});
    failure.reset();
  }
};

class BatchCondition;

// Move-only; not thread-safe. A variable without a column is unbound.
class BoundExpression {
 public:
  // Errors: Denied for a function that does not exist here (the closest known one is the hint),
  // InvalidInput for wrong arguments that can be seen now (a constant regular expression that is
  // none). REQUIRES: no aggregates.
  static Result<BoundExpression> bind(const Expression& expression, const Schema& schema,
                                      EvaluationContext& context, const MakeProbe& make_probe);

  BoundExpression(BoundExpression&&) noexcept;
  BoundExpression& operator=(BoundExpression&&) noexcept;
  ~BoundExpression();

  // A hard error goes to context.fail() and gives an error value.
  Value value(const Batch& batch, std::size_t row, EvaluationContext& context) const;
  // The effective boolean value; nullopt for an error.
  std::optional<bool> truth(const Batch& batch, std::size_t row, EvaluationContext& context) const;

  // The same for some rows of a batch at once: keeps those where it is true. At a row that meets a
  // hard error, that row and all behind it are dropped and the error is the selection's; one that
  // it had is replaced, for it belongs to a row behind. The context, always the same one, keeps
  // none. REQUIRES: is_repeatable(), no failure of the context.
  void filter(const Batch& batch, Selection& selection, EvaluationContext& context);
  // False where a second evaluation may give something else: RAND, UUID, BNODE.
  bool is_repeatable() const;
  // The column that it is nothing but, if so.
  std::optional<std::size_t> column() const;

  struct Node;

 private:
  explicit BoundExpression(std::unique_ptr<Node> node);
  std::unique_ptr<Node> node_;
  std::unique_ptr<BatchCondition> batch_condition_;  // made by filter()
};

// The static part of bind() alone: every function of the expression, its sub-patterns included, is
// known here.
Result<void> check_functions(const Expression& expression);

}  // namespace helve::sparql
