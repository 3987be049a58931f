// Calls of functions, aggregates and EXISTS. parse_expression.cc has the operators.
// https://www.w3.org/TR/sparql11-query/#rBuiltInCall
#include <fmt/core.h>

#include <algorithm>

#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

bool Parser::at_built_in_call() {
  if (!at(TokenKind::Word)) return false;
  return function_by_name(token_.text) || aggregate_by_name(token_.text) || at_word("EXISTS") ||
         (at_word("NOT") && is_word(peek(), "EXISTS"));
}

Expression Parser::built_in_call() {
  if (at_word("EXISTS") || at_word("NOT")) return exists();
  if (const auto kind = aggregate_by_name(token_.text)) return aggregate(*kind);
  return function_call(*function_by_name(token_.text));
}

Expression Parser::exists() {
  const std::uint32_t begin = token_.span.begin;
  const bool is_negated = take_word("NOT");
  take();
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Forbidden);
  const ScopedValue<std::string_view> place(aggregate_place_, "EXISTS");
  Group group = group_graph_pattern("EXISTS", "EXISTS takes a pattern in braces: EXISTS { ... }");
  Pattern pattern = wrap(group);
  count_parts();
  raise_depth(depth_);
  return {Exists(std::move(pattern), is_negated), span_from(begin)};
}

// The arguments in parentheses, DISTINCT left to the caller. REQUIRES: at '('.
std::vector<Expression> Parser::arg_list(std::size_t& deepest, std::string_view function) {
  const Nested nested(*this);
  take();
  std::vector<Expression> arguments;
  if (!take_if(TokenKind::RightParenthesis)) {
    do {
      arguments.push_back(expression());
      deepest = std::max(deepest, depth_);
    } while (take_if(TokenKind::Comma));
    close_arguments(function);
  }
  return arguments;
}

void Parser::close_arguments(std::string_view function) {
  if (take_if(TokenKind::RightParenthesis) || failed()) return;
  if (at(TokenKind::Semicolon)) {
    return fail_here(fmt::format("the arguments of {} are separated by ',', not by ';'", function),
                     "write a comma");
  }
  fail_behind_operand();
  const bool begins_argument = at_term() || at_built_in_call();
  fail_expected(fmt::format("',' or ')' in the arguments of {}", function),
                begins_argument ? "separate arguments by commas" : "");
}

void Parser::check_arity(const FunctionInfo& info, std::size_t count, const Token& name) {
  if (count >= info.arguments_min &&
      (info.arguments_max == kAnyNumber || count <= info.arguments_max)) {
    return;
  }
  const std::string wanted =
      info.arguments_max == info.arguments_min
          ? (info.arguments_min == 0   ? std::string("no arguments")
             : info.arguments_min == 1 ? std::string("one argument")
                                       : fmt::format("{} arguments", info.arguments_min))
          : fmt::format("{} or {} arguments", info.arguments_min, info.arguments_max);
  constexpr std::string_view kExamples = "?a, ?b, ?c, ?d";
  const std::size_t shown = std::min<std::size_t>(info.arguments_max, 4);
  fail_at(name.span.begin, fmt::format("{} takes {}, but here it has {}", info.name, wanted, count),
          fmt::format("write {}({})", info.name,
                      shown == 0 ? kExamples.substr(0, 0) : kExamples.substr(0, 4 * shown - 2)));
}

Expression Parser::function_call(Function function) {
  const FunctionInfo& info = function_info(function);
  const Token name = take();
  if (info.since == Version::Sparql12 && version_ == Version::Sparql11) {
    fail_at(name.span.begin, fmt::format("{} is a function of SPARQL 1.2", info.name),
            "put VERSION \"1.2\" at the top of the query");
    return {Variable{}};
  }
  if (!at(TokenKind::LeftParenthesis)) {
    fail_expected(fmt::format("'(' after {}", info.name),
                  fmt::format("write {}({})", info.name, info.arguments_max == 0 ? "" : "..."));
    return {Variable{}};
  }
  std::size_t deepest = 0;
  std::vector<Expression> arguments = arg_list(deepest, info.name);
  if (failed()) return {Variable{}};
  check_arity(info, arguments.size(), name);
  if (function == Function::Bound && !failed() && arguments[0].if_is<Variable>() == nullptr) {
    fail_at(arguments[0].span.begin, "BOUND takes a variable",
            "to test whether an expression has a value use COALESCE");
  }
  return operation(function, std::move(arguments), deepest, name.span.begin);
}

// https://www.w3.org/TR/sparql11-query/#aggregateRestrictions
Expression Parser::aggregate(AggregateKind kind) {
  const Token name = token_;
  const std::string_view spelling = aggregate_name(kind);
  if (aggregates_ == Aggregates::Inside) {
    fail_here(fmt::format("the aggregate {} stands inside another aggregate", spelling),
              "compute the inner one in a sub-query: { SELECT ... GROUP BY ... }");
  } else if (aggregates_ == Aggregates::Forbidden) {
    fail_here(
        fmt::format("the aggregate {} cannot stand in {}", spelling, aggregate_place_),
        "aggregates belong in SELECT, HAVING and ORDER BY; conditions on them in HAVING(...)");
  }
  take();
  const Nested nested(*this);
  if (!expect(TokenKind::LeftParenthesis, fmt::format("'(' after {}", spelling),
              fmt::format("write {}(?x)", spelling))) {
    return {Variable{}};
  }
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Inside);
  Aggregate node;
  node.kind = kind;
  node.is_distinct = take_word("DISTINCT");
  depth_ = 0;
  const bool is_star = kind == AggregateKind::Count && take_if(TokenKind::Star);
  if (at(TokenKind::RightParenthesis) && !is_star) {
    fail_here(fmt::format("{} has no argument", spelling),
              kind == AggregateKind::Count ? "write COUNT(*) to count solutions" : "");
  } else if (!is_star) {
    node.argument.push_back(expression());
  }
  const std::size_t depth = depth_;
  separator(node);
  count_parts();
  raise_depth(depth);
  return {std::move(node), span_from(name.span.begin)};
}

// What may follow the argument of an aggregate, up to its ')'.
void Parser::separator(Aggregate& aggregate) {
  const std::string_view name = aggregate_name(aggregate.kind);
  const bool is_concat = aggregate.kind == AggregateKind::GroupConcat;
  if (is_concat && take_if(TokenKind::Semicolon)) {
    if (!take_word("SEPARATOR") || !take_if(TokenKind::Equal) || !at(TokenKind::String)) {
      return fail_expected("SEPARATOR = and a string", "write GROUP_CONCAT(?x; SEPARATOR=\", \")");
    }
    aggregate.separator = string_value();
  }
  if (take_if(TokenKind::RightParenthesis) || failed()) return;
  if (at_word("DISTINCT")) {
    return fail_here("DISTINCT stands before what it counts",
                     fmt::format("write {}(DISTINCT ...)", name));
  }
  if (is_concat && (at(TokenKind::Comma) || at_word("SEPARATOR"))) {
    return fail_here("the separator of GROUP_CONCAT follows a semicolon and its name",
                     "write GROUP_CONCAT(?x; SEPARATOR=\", \")");
  }
  if (at(TokenKind::Comma)) {
    return fail_here(fmt::format("{} takes one argument", name), "write one aggregate for each");
  }
  close_arguments(name);
}

// iriOrFunction
Expression Parser::iri_or_function() {
  const Token name = token_;
  std::string value = iri("an IRI");
  if (!at(TokenKind::LeftParenthesis)) {
    return constant({rdf::Term(rdf::TermView::iri(value)), name.span});
  }
  Call call;
  call.iri = std::move(value);
  std::size_t deepest = 0;
  if (is_word(peek(), "DISTINCT")) {
    const Nested nested(*this);
    take();
    call.is_distinct = take_word("DISTINCT");
    do {
      call.arguments.push_back(expression());
      deepest = std::max(deepest, depth_);
    } while (take_if(TokenKind::Comma));
    close_arguments(excerpt(name.span));
  } else {
    call.arguments = arg_list(deepest, excerpt(name.span));
  }
  count_parts();
  raise_depth(deepest);
  return {std::move(call), span_from(name.span.begin)};
}

}  // namespace helve::sparql
