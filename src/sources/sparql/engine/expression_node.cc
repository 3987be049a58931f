#include "sources/sparql/engine/expression_node.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/string_functions.h"
#include "sources/sparql/engine/term_comparison.h"
#include "sources/sparql/engine/term_functions.h"

namespace helve::sparql {

namespace {

using Node = BoundExpression::Node;
using Row = ExpressionRow;

// A constant where it stands, anything else in `storage`.
const Value& operand(const Node& node, const Row& row, Value& storage) {
  if (node.kind == Node::Kind::Constant) return node.constant;
  storage = value_of(node, row);
  return storage;
}

// https://www.w3.org/TR/sparql11-query/#evaluation: an error only matters if the others do not
// settle it. `settling` is true for ||, false for &&.
std::optional<bool> logical(const Node& node, const Row& row, bool settling) {
  bool has_error = false;
  for (const Node& argument : node.arguments) {
    const auto truth = truth_of(argument, row);
    if (!truth) {
      has_error = true;
    } else if (*truth == settling) {
      return settling;
    }
  }
  if (has_error) return std::nullopt;
  return !settling;
}

std::optional<bool> negated(std::optional<bool> truth) {
  if (!truth) return std::nullopt;
  return !*truth;
}

bool is_node(const Value& value, EvaluationContext& context) {
  const auto* id = std::get_if<Id>(&value);
  return id != nullptr && context.terms().kind(*id) != rdf::TermKind::Literal;
}

// The same as a chain of = and ||. An IRI or a blank node is equal to itself alone, so that ids
// tell all there is to know.
std::optional<bool> is_in(const Node& node, const Row& row) {
  Value storage;
  const Value& value = operand(node.arguments[0], row, storage);
  if (is_error(value)) return std::nullopt;
  if (!node.listed.empty() && is_node(value, row.context)) {
    return std::binary_search(node.listed.begin(), node.listed.end(), std::get<Id>(value));
  }
  bool has_error = false;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    Value item_storage;
    const auto is_equal = equal(value, operand(node.arguments[i], row, item_storage), row.context);
    if (!is_equal) {
      has_error = true;
    } else if (*is_equal) {
      return true;
    }
  }
  if (has_error) return std::nullopt;
  return false;
}

std::optional<bool> compare_arguments(const Node& node, const Row& row) {
  Value left;
  Value right;
  return compare(node.function, operand(node.arguments[0], row, left),
                 operand(node.arguments[1], row, right), row.context);
}

std::optional<bool> exists(const Node& node, const Row& row) {
  auto found = node.probe->exists(row.batch, row.row);
  if (found) return *found != node.is_negated;
  row.context.fail(std::move(found).error());
  return std::nullopt;
}

Value coalesce(const Node& node, const Row& row) {
  for (const Node& argument : node.arguments) {
    Value value = value_of(argument, row);
    if (!is_error(value)) return value;
  }
  return error_value();
}

Value choose(const Node& node, const Row& row) {
  const auto truth = truth_of(node.arguments[0], row);
  if (!truth) return error_value();
  return value_of(node.arguments[*truth ? 1 : 2], row);
}

Value call_with_regex(const Node& node, const Row& row) {
  const Value text = value_of(node.arguments[0], row);
  if (is_error(text)) return error_value();
  if (node.function == Function::Regex) return call_regex(text, *node.regex, row.context);
  const Value replacement = value_of(node.arguments[2], row);
  if (is_error(replacement)) return error_value();
  return call_replace(text, *node.regex, replacement, row.context);
}

Value call_with(std::span<Value> values, const Node& node, const Row& row) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = value_of(node.arguments[i], row);
    if (is_error(values[i])) return error_value();
  }
  return call_function(node.function, values, row.context);
}

Value call(const Node& node, const Row& row) {
  if (node.regex) return call_with_regex(node, row);
  constexpr std::size_t kFew = 4;  // only CONCAT takes more
  const std::size_t count = node.arguments.size();
  if (count <= kFew) {
    std::array<Value, kFew> values;
    return call_with(std::span(values).first(count), node, row);
  }
  std::vector<Value> values(count);
  return call_with(values, node, row);
}

// True for what gives a truth value without making a Value of it.
bool is_logical(const Node& node) {
  if (node.kind == Node::Kind::Exists) return true;
  return node.kind == Node::Kind::Operation &&
         (node.function <= Function::NotIn || node.function == Function::Bound);
}

// REQUIRES: is_logical(node).
std::optional<bool> logical_truth(const Node& node, const Row& row) {
  if (node.kind == Node::Kind::Exists) return exists(node, row);
  switch (node.function) {
    case Function::Or:
      return logical(node, row, true);
    case Function::And:
      return logical(node, row, false);
    case Function::Not:
      return negated(truth_of(node.arguments[0], row));
    case Function::In:
      return is_in(node, row);
    case Function::NotIn:
      return negated(is_in(node, row));
    case Function::Bound:
      return !is_error(value_of(node.arguments[0], row));
    default:
      return compare_arguments(node, row);
  }
}

}  // namespace

std::optional<bool> truth_of(const BoundExpression::Node& node, const ExpressionRow& row) {
  if (is_logical(node)) return logical_truth(node, row);
  return row.context.truth(value_of(node, row));
}

Value value_of(const BoundExpression::Node& node, const ExpressionRow& row) {
  switch (node.kind) {
    case Node::Kind::Column: {
      const Id id = row.batch.at(node.column, row.row);
      return id.is_defined() ? Value(id) : error_value();
    }
    case Node::Kind::Constant:
      return node.constant;
    case Node::Kind::Cast:
      return call_cast(node.cast, value_of(node.arguments[0], row), row.context);
    default:
      break;
  }
  if (is_logical(node)) return boolean_value(logical_truth(node, row));
  if (node.function == Function::If) return choose(node, row);
  if (node.function == Function::Coalesce) return coalesce(node, row);
  return call(node, row);
}

}  // namespace helve::sparql
