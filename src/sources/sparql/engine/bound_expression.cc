#include "sources/sparql/engine/bound_expression.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/string_functions.h"
#include "sources/sparql/engine/term_comparison.h"
#include "sources/sparql/engine/term_functions.h"
#include "sources/sparql/engine/unknown_function.h"

namespace helve::sparql {

struct BoundExpression::Node {
  enum class Kind : std::uint8_t { Column, Constant, Operation, Cast, Exists };

  Kind kind = Kind::Constant;
  Function function = Function::And;         // Operation
  rdf::XsdType cast = rdf::XsdType::String;  // Cast
  bool is_negated = false;                   // Exists
  std::size_t column = 0;                    // Column
  Value constant;                            // an error for a variable without a column
  std::vector<Node> arguments;               // Operation, Cast
  std::unique_ptr<PatternProbe> probe;       // Exists
  std::shared_ptr<const Regex> regex;        // REGEX, REPLACE with constant pattern and flags
};

namespace {

using Node = BoundExpression::Node;

// One solution, and what all of them share.
struct Row {
  const Batch& batch;
  std::size_t row;
  EvaluationContext& context;
};

Value value_of(const Node& node, const Row& row);
std::optional<bool> truth_of(const Node& node, const Row& row);

bool is_comparison(Function function) {
  return function >= Function::Equal && function <= Function::GreaterEqual;
}
bool is_arithmetic(Function function) {
  return function >= Function::Add && function <= Function::Negate;
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

// The same as a chain of = and ||.
std::optional<bool> is_in(const Node& node, const Row& row) {
  const Value value = value_of(node.arguments[0], row);
  if (is_error(value)) return std::nullopt;
  bool has_error = false;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    const auto is_equal = equal(value, value_of(node.arguments[i], row), row.context);
    if (!is_equal) {
      has_error = true;
    } else if (*is_equal) {
      return true;
    }
  }
  if (has_error) return std::nullopt;
  return false;
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
      return compare(node.function, value_of(node.arguments[0], row),
                     value_of(node.arguments[1], row), row.context);
  }
}

std::optional<bool> truth_of(const Node& node, const Row& row) {
  if (is_logical(node)) return logical_truth(node, row);
  return row.context.truth(value_of(node, row));
}

Value value_of(const Node& node, const Row& row) {
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

class Binder {
 public:
  Binder(const Schema& schema, EvaluationContext& context, const MakeProbe& make_probe)
      : schema_(schema), context_(context), make_probe_(make_probe) {}

  Result<Node> bind(const Expression& expression) {
    return std::visit([this](const auto& node) { return bind_node(node); }, expression.node);
  }

 private:
  Result<Node> bind_node(const Variable& variable) {
    Node node;
    const auto column = schema_.find(variable.name);
    if (column) {
      node.kind = Node::Kind::Column;
      node.column = *column;
    }
    return node;
  }

  // An id, so that equality with a term of the data is equality of numbers.
  Result<Node> bind_node(const Constant& constant) {
    Node node;
    HELVE_ASSIGN(node.constant, context_.terms().intern(constant.term.view()));
    return node;
  }

  Result<Node> bind_node(const Operation& operation) {
    Node node;
    node.kind = Node::Kind::Operation;
    node.function = operation.function;
    HELVE_TRY(bind_arguments(operation.arguments, node));
    if (is_comparison(node.function) || is_arithmetic(node.function)) {
      for (Node& argument : node.arguments) prepare(argument, node.function);
    }
    if (node.function == Function::Regex || node.function == Function::Replace) {
      HELVE_TRY(prepare_regex(node));
    }
    return node;
  }

  Result<Node> bind_node(const Call& call) {
    const auto type = rdf::xsd_type_of_iri(call.iri);
    if (!type) return unknown_function(call.iri);
    if (call.arguments.size() != 1 || call.is_distinct) {
      return Error(ErrorCode::InvalidInput,
                   fmt::format("the cast <{}> takes one argument and no DISTINCT", call.iri));
    }
    Node node;
    node.kind = Node::Kind::Cast;
    node.cast = *type;
    HELVE_TRY(bind_arguments(call.arguments, node));
    return node;
  }

  Result<Node> bind_node(const Aggregate& /*aggregate*/) {
    return Error(ErrorCode::InvalidInput, "an aggregate stands where there are no groups",
                 "use aggregates in SELECT, HAVING and ORDER BY of a query");
  }

  Result<Node> bind_node(const Exists& exists) {
    HELVE_CHECK(make_probe_ != nullptr);
    Node node;
    node.kind = Node::Kind::Exists;
    node.is_negated = exists.is_negated;
    HELVE_ASSIGN(node.probe, make_probe_(exists));
    return node;
  }

  Result<void> bind_arguments(const std::vector<Expression>& arguments, Node& node) {
    node.arguments.reserve(arguments.size());
    for (const Expression& argument : arguments) {
      HELVE_ASSIGN(Node bound, bind(argument));
      node.arguments.push_back(std::move(bound));
    }
    return {};
  }

  // A constant that only its value matters of is parsed once. Inlined ids are as good as parsed,
  // and = compares strings by id.
  void prepare(Node& argument, Function function) {
    const auto* id = std::get_if<Id>(&argument.constant);
    if (argument.kind != Node::Kind::Constant || id == nullptr || id->is_inlined()) return;
    auto value = context_.to_xsd(argument.constant);
    if (!value) return;
    const bool is_equality = function == Function::Equal || function == Function::NotEqual;
    if (is_equality && rdf::is_string_type(value->type)) return;
    argument.constant = *std::move(value);
  }

  Result<void> prepare_regex(Node& node) {
    const std::size_t flags_at = node.function == Function::Regex ? 2 : 3;
    const bool has_flags = node.arguments.size() > flags_at;
    const Node& pattern = node.arguments[1];
    if (pattern.kind != Node::Kind::Constant) return {};
    if (has_flags && node.arguments[flags_at].kind != Node::Kind::Constant) return {};
    StringArgument pattern_text;
    StringArgument flags_text;
    if (!read_simple_string(pattern.constant, context_, pattern_text)) return {};
    if (has_flags && !read_simple_string(node.arguments[flags_at].constant, context_, flags_text)) {
      return {};
    }
    node.regex = context_.regexes().find(pattern_text.text, flags_text.text);
    if (node.regex->error()) return *node.regex->error();
    return {};
  }

  const Schema& schema_;
  EvaluationContext& context_;
  const MakeProbe& make_probe_;
};

Result<void> check_call(const Expression& expression) {
  const auto* call = expression.if_is<Call>();
  if (call != nullptr && !is_cast(call->iri)) return unknown_function(call->iri);
  return {};
}

}  // namespace

BoundExpression::BoundExpression(std::unique_ptr<Node> node) : node_(std::move(node)) {}
BoundExpression::BoundExpression(BoundExpression&&) noexcept = default;
BoundExpression& BoundExpression::operator=(BoundExpression&&) noexcept = default;
BoundExpression::~BoundExpression() = default;

Result<BoundExpression> BoundExpression::bind(const Expression& expression, const Schema& schema,
                                              EvaluationContext& context,
                                              const MakeProbe& make_probe) {
  HELVE_ASSIGN(Node node, Binder(schema, context, make_probe).bind(expression));
  return BoundExpression(std::make_unique<Node>(std::move(node)));
}

Value BoundExpression::value(const Batch& batch, std::size_t row,
                             EvaluationContext& context) const {
  return value_of(*node_, {batch, row, context});
}

std::optional<bool> BoundExpression::truth(const Batch& batch, std::size_t row,
                                           EvaluationContext& context) const {
  return truth_of(*node_, {batch, row, context});
}

Result<void> check_functions(const Expression& expression) {
  HELVE_TRY(check_call(expression));
  const auto check_all = [](const std::vector<Expression>& arguments) -> Result<void> {
    for (const Expression& argument : arguments) HELVE_TRY(check_functions(argument));
    return {};
  };
  if (const auto* operation = expression.if_is<Operation>()) return check_all(operation->arguments);
  if (const auto* call = expression.if_is<Call>()) return check_all(call->arguments);
  if (const auto* aggregate = expression.if_is<Aggregate>()) return check_all(aggregate->argument);
  if (const auto* exists = expression.if_is<Exists>()) {
    Result<void> first;
    for_each_expression(*exists->pattern, [&first](const Expression& inner) {
      if (first) first = check_call(inner);
    });
    return first;
  }
  return {};
}

}  // namespace helve::sparql
