// BoundExpression: an expression whose variables know their columns, ready to be evaluated.
#pragma once

#include <functional>
#include <memory>
#include <optional>

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

  struct Node;

 private:
  explicit BoundExpression(std::unique_ptr<Node> node);
  std::unique_ptr<Node> node_;
};

// The static part of bind() alone: every function of the expression, its sub-patterns included, is
// known here.
Result<void> check_functions(const Expression& expression);

}  // namespace helve::sparql
