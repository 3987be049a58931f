// The tree of a bound expression and how it is evaluated. bound_expression.cc makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sources/rdf/xsd_type.h"
#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/engine/batch.h"
#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/evaluation_context.h"
#include "sources/sparql/engine/regex_cache.h"
#include "sources/sparql/engine/value.h"

namespace helve::sparql {

struct BoundExpression::Node {
  enum class Kind : std::uint8_t { Column, Constant, Operation, Cast, Exists };

  Kind kind = Kind::Constant;
  Function function = Function::And;         // Operation
  rdf::XsdType cast = rdf::XsdType::String;  // Cast
  bool is_negated = false;                   // Exists
  bool is_computed = false;                  // Constant: made of others, not written as it is
  std::size_t column = 0;                    // Column
  Value constant;                            // an error for a variable without a column
  std::vector<Node> arguments;               // Operation, Cast
  std::vector<Id> listed;                    // IN, NOT IN of constants alone: their ids, ascending
  std::unique_ptr<PatternProbe> probe;       // Exists
  std::shared_ptr<const Regex> regex;        // REGEX, REPLACE with constant pattern and flags
};

// One solution, and what all of them share.
struct ExpressionRow {
  const Batch& batch;
  std::size_t row;
  EvaluationContext& context;
};

Value value_of(const BoundExpression::Node& node, const ExpressionRow& row);
// The effective boolean value.
std::optional<bool> truth_of(const BoundExpression::Node& node, const ExpressionRow& row);

}  // namespace helve::sparql
