#include "sources/sparql/engine/bound_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sources/rdf/inline_value.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/batch_condition.h"
#include "sources/sparql/engine/expression_node.h"
#include "sources/sparql/engine/function_values.h"
#include "sources/sparql/engine/term_functions.h"
#include "sources/sparql/engine/unknown_function.h"

namespace helve::sparql {

namespace {

using Node = BoundExpression::Node;

bool is_comparison(Function function) {
  return function >= Function::Equal && function <= Function::GreaterEqual;
}
bool is_arithmetic(Function function) {
  return function >= Function::Add && function <= Function::Negate;
}

bool is_repeatable_function(Function function) {
  return function != Function::Rand && function != Function::Uuid &&
         function != Function::StrUuid && function != Function::BNode;
}

// What gives the same for every row, and nothing large: computed once, whatever the passes.
bool is_always_folded(Function function) {
  switch (function) {
    case Function::StrDt:
    case Function::StrLang:
    case Function::Iri:
    case Function::Now:
      return true;
    default:
      return is_arithmetic(function);
  }
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
    if (node.function == Function::In || node.function == Function::NotIn) list_constants(node);
    const bool folds = context_.passes().has(Pass::FoldConstants)
                           ? is_repeatable_function(node.function)
                           : is_always_folded(node.function);
    if (folds) fold(node);
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
    fold(node);
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

  // Constants give a constant. An error, hard or not, stays to be met where it is evaluated, or
  // not.
  void fold(Node& node) {
    for (const Node& argument : node.arguments) {
      if (argument.kind != Node::Kind::Constant || is_error(argument.constant)) return;
    }
    if (context_.failure()) return;
    Value value = value_of(node, {Batch(), 0, context_});
    if (!is_error(value) && !is_large(value)) value = as_id(std::move(value));
    if (context_.take_failure() || is_error(value) || is_large(value)) return;
    node = Node();
    node.constant = std::move(value);
    node.is_computed = true;
  }

  // Ids compare best. A number that has none stays a value.
  Value as_id(Value value) {
    const auto* computed = std::get_if<rdf::XsdValue>(&value);
    if (computed == nullptr || rdf::is_string_type(computed->type)) return context_.to_id(value);
    if (const auto id = rdf::inline_value(*computed)) return *id;
    return value;
  }

  // Texts that a query makes are not kept where nobody charges for them.
  static bool is_large(const Value& value) {
    constexpr std::size_t kBytesMax = 1'024;
    if (const auto* term = std::get_if<rdf::Term>(&value)) return term->value.size() > kBytesMax;
    const auto* computed = std::get_if<rdf::XsdValue>(&value);
    return computed != nullptr && rdf::is_string_type(computed->type) &&
           computed->text().size() > kBytesMax;
  }

  static void list_constants(Node& node) {
    for (std::size_t i = 1; i < node.arguments.size(); ++i) {
      const auto* id = std::get_if<Id>(&node.arguments[i].constant);
      if (node.arguments[i].kind != Node::Kind::Constant || id == nullptr) {
        node.listed.clear();
        return;
      }
      node.listed.push_back(*id);
    }
    std::sort(node.listed.begin(), node.listed.end());
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
    node.regex = context_.regexes().find(pattern_text.text, flags_text.text,
                                         context_.passes().has(Pass::RegexPrefilter));
    if (!node.regex->error()) return {};
    // A bad expression that is written is an error of the query; one that is computed, of the row.
    const bool is_computed =
        pattern.is_computed || (has_flags && node.arguments[flags_at].is_computed);
    if (!is_computed) return *node.regex->error();
    node.regex.reset();
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

bool BoundExpression::is_repeatable() const { return sparql::is_repeatable(*node_); }

std::optional<std::size_t> BoundExpression::column() const {
  if (node_->kind != Node::Kind::Column) return std::nullopt;
  return node_->column;
}

void BoundExpression::filter(const Batch& batch, Selection& selection, EvaluationContext& context) {
  std::vector<std::uint32_t>& rows = selection.rows;
  constexpr std::size_t kFew = 8;  // not worth more than asking one by one
  std::size_t kept = 0;
  if (rows.size() < kFew) {
    for (const std::uint32_t row : rows) {
      const bool is_true = truth(batch, row, context).value_or(false);
      if (context.failure()) break;
      if (is_true) rows[kept++] = row;
    }
  } else {
    if (!batch_condition_) batch_condition_ = std::make_unique<BatchCondition>(*node_, context);
    kept = batch_condition_->keep_true(batch, rows);
  }
  rows.resize(kept);
  if (context.failure()) selection.failure = context.take_failure();
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
