// GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET and the final VALUES.
// https://www.w3.org/TR/sparql11-query/#rSolutionModifier
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

void Parser::solution_modifier(Body& body, const Scope& scope) {
  std::size_t depth = 0;
  const auto clause = [&](auto parse) {
    depth_ = 0;
    parse();
    depth = std::max(depth, depth_);
  };
  clause([&] { group_clause(body, scope); });
  clause([&] { having_clause(body); });
  clause([&] { order_clause(body); });
  limit_offset_clauses(body);
  depth_ = depth;
}

void Parser::group_clause(Body& body, const Scope& scope) {
  if (!take_word("GROUP")) return;
  if (!take_word("BY")) return fail_expected("BY after GROUP", "write GROUP BY ?x");
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Forbidden);
  const ScopedValue<std::string_view> place(aggregate_place_, "GROUP BY");
  std::size_t depth = 0;
  while (!failed() && (at(TokenKind::Variable) || at(TokenKind::LeftParenthesis) || at_iri() ||
                       at_built_in_call())) {
    group_condition(body, scope);
    depth = std::max(depth, depth_);
  }
  depth_ = depth;
  if (at(TokenKind::Comma)) {
    return fail_here("the keys of GROUP BY are separated by spaces, not by commas",
                     "write GROUP BY ?x ?y");
  }
  if (body.group_by.empty()) {
    fail_expected("a variable or (expression AS ?name) after GROUP BY",
                  at(TokenKind::Word) ? fmt::format("variables begin with '?': ?{}", token_.text)
                                      : "write GROUP BY ?x");
  }
}

void Parser::group_condition(Body& body, const Scope& scope) {
  if (!at(TokenKind::LeftParenthesis)) {
    Expression key = at(TokenKind::Variable) ? primary_expression() : constraint("GROUP BY");
    body.group_by.push_back({std::move(key), std::nullopt});
    return;
  }
  const Nested nested(*this);
  take();
  GroupKey key{expression(), std::nullopt};
  if (take_word("AS")) {
    key.name = var("a variable after AS");
    if (scope.count(key.name->name) > 0) {
      fail_at(key.name->span.begin,
              fmt::format("GROUP BY gives a value to ?{}, which the pattern has already bound",
                          key.name->name),
              "use a new name");
    }
  }
  if (!take_if(TokenKind::RightParenthesis) && !failed()) {
    fail_behind_operand();
    fail_expected("AS and a variable, or ')'", "write GROUP BY (expression AS ?name)");
  }
  body.group_by.push_back(std::move(key));
}

void Parser::having_clause(Body& body) {
  if (!take_word("HAVING")) return;
  std::size_t depth = 0;
  do {
    body.having.push_back(constraint("HAVING"));
    depth = std::max(depth, depth_);
  } while (!failed() && (at(TokenKind::LeftParenthesis) || at_iri() || at_built_in_call()));
  depth_ = depth;
}

void Parser::order_clause(Body& body) {
  if (!take_word("ORDER")) return;
  if (!take_word("BY")) return fail_expected("BY after ORDER", "write ORDER BY ?x");
  std::size_t depth = 0;
  while (order_condition(body)) depth = std::max(depth, depth_);
  depth_ = depth;
  if (failed()) return;
  if (at(TokenKind::Comma)) {
    return fail_here("the keys of ORDER BY are separated by spaces, not by commas",
                     "write ORDER BY ?x DESC(?y)");
  }
  if (body.order_by.empty()) {
    fail_expected("a variable, ASC(...), DESC(...) or an expression in parentheses after ORDER BY",
                  at(TokenKind::Word) ? fmt::format("variables begin with '?': ?{}", token_.text)
                                      : "write ORDER BY ?x");
  }
}

bool Parser::order_condition(Body& body) {
  if (failed()) return false;
  if (at_word("ASC") || at_word("DESC")) {
    const Token direction = take();
    const bool is_descending = is_word(direction, "DESC");
    const std::string_view name = is_descending ? "DESC" : "ASC";
    if (!at(TokenKind::LeftParenthesis)) {
      const bool is_behind = !body.order_by.empty() && !at(TokenKind::Variable);
      const std::string key = is_behind ? excerpt(body.order_by.back().expression.span)
                              : at(TokenKind::Variable) ? excerpt(token_.span)
                                                        : "?x";
      const std::string hint = fmt::format("write ORDER BY {}({})", name, key);
      if (is_behind) {
        fail_at(direction.span.begin, fmt::format("{} stands before its key, not after it", name),
                hint);
      } else {
        fail_expected(fmt::format("'(' after {}", name), hint);
      }
      return false;
    }
    body.order_by.push_back({bracketted_expression(), is_descending});
    return true;
  }
  if (at(TokenKind::Variable)) {
    body.order_by.push_back({primary_expression(), false});
    return true;
  }
  if (!at(TokenKind::LeftParenthesis) && !at_iri() && !at_built_in_call()) return false;
  body.order_by.push_back({constraint("ORDER BY"), false});
  return true;
}

void Parser::limit_offset_clauses(Body& body) {
  while (!failed()) {
    if (at_word("LIMIT") && !body.limit) {
      body.limit = row_count("LIMIT");
      if (at(TokenKind::Comma)) {
        const std::string offset(source(last_.span));
        const bool has_count = peek().kind == TokenKind::Integer;
        fail_here("LIMIT takes one number",
                  fmt::format("write LIMIT {} OFFSET {}",
                              has_count ? source(peek().span) : std::string_view("20"), offset));
      }
    } else if (at_word("OFFSET") && !body.offset) {
      body.offset = row_count("OFFSET");
    } else {
      return;
    }
  }
}

std::uint64_t Parser::row_count(std::string_view keyword) {
  take();
  std::uint64_t count = 0;
  if (at(TokenKind::Integer)) {
    const auto [end, fault] =
        std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), count);
    if (fault == std::errc() && end == token_.text.data() + token_.text.size()) {
      take();
      return count;
    }
    fail_here(fmt::format("the number {} after {} is too large", excerpt(token_.span), keyword),
              "the largest is 18446744073709551615; leave it out to get every row");
  } else if (at(TokenKind::Minus)) {
    fail_here(fmt::format("{} cannot be negative", keyword), "write a whole number from 0");
  } else if (at(TokenKind::Variable)) {
    fail_here(fmt::format("{} takes a number, not a variable", keyword),
              fmt::format("write the number itself: {} 10", keyword));
  } else {
    fail_expected(fmt::format("a whole number after {}", keyword),
                  fmt::format("write {} 10", keyword));
  }
  return 0;
}

void Parser::values_clause(Body& body, Scope& scope) {
  if (at_word("VALUES")) {
    const std::uint32_t begin = token_.span.begin;
    take();
    body.values = data_block();
    body.values->span = span_from(begin);
    for (const Variable& variable : body.values->variables) scope.insert(variable.name);
  }
  // In a wrong order: said before grouping is judged, which would be misjudged.
  for (const std::string_view word : {"GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"}) {
    if (at_word(word)) return fail_word_behind_query();
  }
}

}  // namespace helve::sparql
