// Random expressions: tests with a good chance to be true for some rows and false for others, and
// any function of anything.
#include <array>
#include <utility>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/algebra_testing.h"
#include "sources/sparql/algebra/functions.h"
#include "tests/reference/random_data.h"
#include "tests/reference/random_query.h"

namespace helve::reference {

using namespace sparql;
using test::call;
using Scope = std::vector<std::string>;

namespace {

// What gives something else each time, or a node that no other answer has; and patterns that are
// no good regular expressions.
bool is_left_out(Function function) {
  switch (function) {
    case Function::Rand:
    case Function::Uuid:
    case Function::StrUuid:
    case Function::BNode:
    case Function::Now:
    case Function::Regex:
    case Function::Replace:
      return true;
    default:
      return false;
  }
}

Expression text(std::string_view value) { return test::constant(test::literal(value)); }

}  // namespace

Expression RandomQuery::operand(std::size_t depth, const Scope& scope) {
  if (chance(55)) return Expression(variable_of(scope));
  if (depth == 0 || chance(40)) return test::constant(any_constant());
  constexpr std::array<Function, 4> kSigns = {Function::Add, Function::Subtract, Function::Multiply,
                                              Function::Divide};
  switch (below(6)) {
    case 0:
    case 1:
      return call(choices_.pick(kSigns), {operand(depth - 1, scope), operand(depth - 1, scope)});
    case 2:
      return call(Function::Coalesce, {operand(depth - 1, scope), operand(depth - 1, scope)});
    case 3:
      return call(Function::If,
                  {truth(depth - 1, scope), operand(depth - 1, scope), operand(depth - 1, scope)});
    case 4:
      return Expression(Call{std::string(chance(50) ? rdf::kXsdInteger : rdf::kXsdDouble),
                             false,
                             {operand(depth - 1, scope)}});
    default:
      return any_function(depth - 1, scope);
  }
}

Expression RandomQuery::any_function(std::size_t depth, const Scope& scope) {
  const FunctionInfo& info = function_info(static_cast<Function>(below(kFunctionCount)));
  if (info.since > Version::Sparql11 || is_left_out(info.function)) return truth(depth, scope);
  if (info.function == Function::Bound) {
    return call(info.function, {Expression(variable_of(scope))});
  }
  std::size_t count = info.arguments_min;
  const std::size_t more = info.arguments_max - info.arguments_min;
  if (more > 0) count += below(std::min<std::size_t>(more, 2) + 1);
  std::vector<Expression> arguments;
  while (arguments.size() < count) arguments.push_back(operand(depth, scope));
  return call(info.function, std::move(arguments));
}

Expression RandomQuery::comparison(std::size_t depth, const Scope& scope) {
  constexpr std::array<Function, 8> kSigns = {
      Function::Equal, Function::Equal,     Function::NotEqual, Function::NotEqual,
      Function::Less,  Function::LessEqual, Function::Greater,  Function::GreaterEqual};
  Expression left = chance(70) ? Expression(variable_of(scope)) : operand(depth, scope);
  Expression right = chance(50) ? Expression(variable_of(scope)) : operand(depth, scope);
  return call(choices_.pick(kSigns), {std::move(left), std::move(right)});
}

Expression RandomQuery::text_test(const Scope& scope) {
  constexpr std::array<std::string_view, 8> kPatterns = {"a",    "^a",   "c$",   "b.*c",
                                                         "^abc", "[AB]", "n0|1", "example"};
  Expression value(variable_of(scope));
  if (chance(70)) value = call(Function::Str, {std::move(value)});
  if (chance(60)) {
    std::vector<Expression> arguments = {std::move(value), text(choices_.pick(kPatterns))};
    if (chance(30)) arguments.push_back(text("i"));
    return call(Function::Regex, std::move(arguments));
  }
  constexpr std::array<Function, 3> kTests = {Function::Contains, Function::StrStarts,
                                              Function::StrEnds};
  return call(choices_.pick(kTests), {std::move(value), text(chance(50) ? "a" : "bc")});
}

Expression RandomQuery::exists(std::size_t depth) {
  return test::exists(chance(60) ? leaf() : pattern(depth), chance(50));
}

Expression RandomQuery::truth(std::size_t depth, const Scope& scope) {
  constexpr std::array<Function, 5> kKinds = {Function::IsIri, Function::IsBlank,
                                              Function::IsLiteral, Function::IsNumeric,
                                              Function::Bound};
  const std::size_t kind = below(depth == 0 ? 9 : 17);
  switch (kind) {
    case 0:
    case 1:
    case 2:
      return comparison(depth, scope);
    case 3:
      return call(choices_.pick(kKinds), {Expression(variable_of(scope))});
    case 4:
      return call(Function::Bound, {Expression(variable_of(scope))});
    case 5:
      return text_test(scope);
    case 6: {
      std::vector<Expression> list = {Expression(variable_of(scope))};
      for (std::size_t n = below(4); n > 0; --n) list.push_back(test::constant(any_constant()));
      return call(chance(60) ? Function::In : Function::NotIn, std::move(list));
    }
    case 7:
      return call(Function::SameTerm, {operand(0, scope), operand(0, scope)});
    case 8:
      return operand(depth, scope);
    case 9:
    case 10:
      return call(Function::And, {truth(depth - 1, scope), truth(depth - 1, scope)});
    case 11:
    case 12:
      return call(Function::Or, {truth(depth - 1, scope), truth(depth - 1, scope)});
    case 13:
      return call(Function::Not, {truth(depth - 1, scope)});
    case 14:
    case 15:
      return exists(depth - 1);
    default:
      return any_function(depth - 1, scope);
  }
}

std::vector<Expression> RandomQuery::conditions(std::size_t count, std::size_t depth,
                                                const Scope& scope) {
  std::vector<Expression> out;
  while (out.size() < count) out.push_back(truth(depth, scope));
  return out;
}

// One whose value depends neither on the order of rows nor on which of equal values is taken.
Expression RandomQuery::aggregate(const Scope& scope) {
  Aggregate out;
  out.is_distinct = chance(35);
  const Expression argument(variable_of(scope));
  switch (below(8)) {
    case 0:
    case 1:
      out.argument = {argument};
      break;
    case 2:
      break;  // COUNT(*)
    case 3:
      out.argument = {operand(1, scope)};
      break;
    case 4:
      out.kind = chance(50) ? AggregateKind::Sum : AggregateKind::Avg;
      // No large numbers: sums of doubles depend on the order of the rows.
      out.argument = {call(Function::If, {call(Function::Less, {argument, test::number("1000")}),
                                          argument, test::number("1")})};
      break;
    case 5:
      out.kind = chance(50) ? AggregateKind::Min : AggregateKind::Max;
      out.argument = {call(Function::Str, {argument})};
      break;
    case 6:
      out.kind = chance(50) ? AggregateKind::Min : AggregateKind::Max;
      out.argument = {Expression(Call{std::string(rdf::kXsdDouble), false, {argument}})};
      break;
    default:
      out.kind = AggregateKind::GroupConcat;
      out.separator = chance(50) ? "," : "";
      out.argument = {call(Function::Str, {argument})};
      return call(Function::StrLen, {Expression(std::move(out))});
  }
  return Expression(std::move(out));
}

}  // namespace helve::reference
