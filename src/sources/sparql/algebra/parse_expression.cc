// Expressions, from the weakest operator to the strongest. Functions are in parse_functions.cc.
// https://www.w3.org/TR/sparql11-query/#rExpression
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

std::vector<Expression> pair_of(Expression left, Expression right) {
  std::vector<Expression> arguments;
  arguments.reserve(2);
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return arguments;
}

// 2024-01-31, which is hardly meant to be a number.
bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool wants_dash = i == 4 || i == 7;
    if (wants_dash ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  return true;
}

std::optional<Function> comparison(TokenKind kind) {
  switch (kind) {
    case TokenKind::Equal:
      return Function::Equal;
    case TokenKind::BangEqual:
      return Function::NotEqual;
    case TokenKind::Less:
      return Function::Less;
    case TokenKind::LessEqual:
      return Function::LessEqual;
    case TokenKind::Greater:
      return Function::Greater;
    case TokenKind::GreaterEqual:
      return Function::GreaterEqual;
    default:
      return std::nullopt;
  }
}

}  // namespace

Expression Parser::operation(Function function, std::vector<Expression> arguments,
                             std::size_t deepest, std::uint32_t begin) {
  count_parts();
  raise_depth(deepest);
  return {Operation{function, std::move(arguments)}, span_from(begin)};
}

// One n-ary operation, so that a long chain is not a deep tree.
Expression Parser::chain(TokenKind sign, Function function, Expression (Parser::*operand)()) {
  const std::uint32_t begin = token_.span.begin;
  Expression first = (this->*operand)();
  if (!at(sign)) return first;
  std::size_t deepest = depth_;
  std::vector<Expression> operands;
  operands.push_back(std::move(first));
  while (take_if(sign)) {
    operands.push_back((this->*operand)());
    deepest = std::max(deepest, depth_);
  }
  return operation(function, std::move(operands), deepest, begin);
}

Expression Parser::conditional_or_expression() {
  return chain(TokenKind::PipePipe, Function::Or, &Parser::conditional_and_expression);
}

Expression Parser::conditional_and_expression() {
  return chain(TokenKind::AmpAmp, Function::And, &Parser::relational_expression);
}

Expression Parser::relational_expression() {
  const std::uint32_t begin = token_.span.begin;
  Expression left = additive_expression();
  const std::size_t depth = depth_;
  if (at_word("IN") || (at_word("NOT") && is_word(peek(), "IN"))) {
    return in_list(std::move(left), depth, begin);
  }
  const auto function = comparison(token_.kind);
  if (!function) return left;
  const Token sign = take();
  if (is_next_to(sign, token_)) {
    if (sign.kind == TokenKind::Equal && at(TokenKind::Equal)) {
      fail_at(sign.span.begin, "'==' is no operator of SPARQL", "equal is '='");
    } else if (sign.kind == TokenKind::Equal && at(TokenKind::Bang)) {
      note({sign.span.begin, token_.span.end},
           "'=!' is read as '=' and '!', equal to the negation; not equal is '!='");
    } else if (sign.kind == TokenKind::Equal && at(TokenKind::Greater)) {
      fail_at(sign.span.begin, "'=>' is no operator of SPARQL", "greater or equal is '>='");
    } else if (sign.kind == TokenKind::Equal && at(TokenKind::Less)) {
      fail_at(sign.span.begin, "'=<' is no operator of SPARQL", "less or equal is '<='");
    }
  }
  Expression right = additive_expression();
  if (comparison(token_.kind) && !failed()) {
    fail_here("comparisons cannot be chained", "join two of them: ?a < ?b && ?b < ?c");
  }
  const std::size_t deepest = std::max(depth, depth_);
  return operation(*function, pair_of(std::move(left), std::move(right)), deepest, begin);
}

// ExpressionList after IN or NOT IN
Expression Parser::in_list(Expression value, std::size_t depth, std::uint32_t begin) {
  const Function function = at_word("NOT") ? Function::NotIn : Function::In;
  if (function == Function::NotIn) take();
  take();
  if (!at(TokenKind::LeftParenthesis)) {
    fail_expected("'(' and a list after IN", "write ?x IN (1, 2, 3)");
    return value;
  }
  std::size_t deepest = 0;
  std::vector<Expression> arguments = arg_list(deepest, "IN");
  arguments.insert(arguments.begin(), std::move(value));
  return operation(function, std::move(arguments), std::max(depth, deepest), begin);
}

Expression Parser::additive_expression() {
  const std::uint32_t begin = token_.span.begin;
  Expression left = multiplicative_expression();
  std::size_t depth = depth_;
  while (at(TokenKind::Plus) || at(TokenKind::Minus)) {
    const Function function = at(TokenKind::Plus) ? Function::Add : Function::Subtract;
    take();
    Expression right = multiplicative_expression();
    left = operation(function, pair_of(std::move(left), std::move(right)), std::max(depth, depth_),
                     begin);
    depth = depth_;
    if (is_date(source(left.span))) {
      note(left.span, fmt::format("{0} is read as two subtractions; a date is "
                                  "\"{0}\"^^xsd:date",
                                  source(left.span)));
    }
  }
  depth_ = depth;
  return left;
}

Expression Parser::multiplicative_expression() {
  const std::uint32_t begin = token_.span.begin;
  Expression left = unary_expression();
  std::size_t depth = depth_;
  while (at(TokenKind::Star) || at(TokenKind::Slash)) {
    const Function function = at(TokenKind::Star) ? Function::Multiply : Function::Divide;
    take();
    Expression right = unary_expression();
    left = operation(function, pair_of(std::move(left), std::move(right)), std::max(depth, depth_),
                     begin);
    depth = depth_;
  }
  depth_ = depth;
  return left;
}

// SPARQL 1.1 has one sign at most; 1.2 as many as one likes, and so everyone else.
Expression Parser::unary_expression() {
  const std::uint32_t begin = token_.span.begin;
  const bool has_sign = (at(TokenKind::Plus) || at(TokenKind::Minus)) && !at_signed_number();
  if (!at(TokenKind::Bang) && !has_sign) return primary_expression();
  // A parenthesis counts for itself: !(!(?x)) is no deeper than !!?x, which is printed so.
  std::optional<Nested> nested;
  if (peek().kind != TokenKind::LeftParenthesis) nested.emplace(*this);
  const Function function = at(TokenKind::Bang)   ? Function::Not
                            : at(TokenKind::Plus) ? Function::Plus
                                                  : Function::Negate;
  take();
  std::vector<Expression> arguments;
  arguments.push_back(unary_expression());
  return operation(function, std::move(arguments), depth_, begin);
}

Expression Parser::constant(Constant term) {
  count_parts();
  depth_ = 1;
  const SourceSpan span = term.span;
  return {std::move(term), span};
}

Expression Parser::primary_expression() {
  if (at(TokenKind::LeftParenthesis)) return bracketted_expression();
  if (at(TokenKind::Variable)) {
    count_parts();
    depth_ = 1;
    Variable variable = var();
    const SourceSpan span = variable.span;
    return {std::move(variable), span};
  }
  if (at_iri()) return iri_or_function();
  if (at_built_in_call()) return built_in_call();
  if (at_term() && !at(TokenKind::BlankLabel)) return constant(literal());
  fail_in_operand();
  return {Variable{}};
}

Expression Parser::bracketted_expression() {
  const Nested nested(*this);
  const Token open = take();
  Expression inner = expression();
  if (!take_if(TokenKind::RightParenthesis) && !failed()) {
    fail_behind_operand();
    fail_expected("')' or an operator",
                  fmt::format("the '(' stands at line {}, column {}",
                              position(open.span.begin).line, position(open.span.begin).column));
  }
  return inner;
}

}  // namespace helve::sparql
