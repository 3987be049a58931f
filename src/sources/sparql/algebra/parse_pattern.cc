// Groups and what they hold, translated to the algebra as they are read.
// https://www.w3.org/TR/sparql11-query/#sparqlTranslateGraphPatterns
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

template <typename OneOf>
void add_variable(Scope& scope, const OneOf& term) {
  if (const auto* variable = std::get_if<Variable>(&term)) scope.insert(variable->name);
}

SourceSpan cover(SourceSpan a, SourceSpan b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace

Parser::Group Parser::group_graph_pattern(std::string_view before, std::string hint) {
  const Nested nested(*this);
  Group group;
  const Token open = token_;
  if (!expect(TokenKind::LeftBrace, fmt::format("'{{' after {}", before), std::move(hint))) {
    return group;
  }
  open_groups_.push_back(open);
  if (at_word("SELECT")) {
    const std::uint32_t begin = token_.span.begin;
    Select select = sub_select(group.scope);
    group.depth = depth_;
    group.pattern = Pattern(SubSelect(std::move(select)), span_from(begin));
    if (!at(TokenKind::RightBrace)) fail_behind_sub_select(open);
    close_group(open);
  } else {
    group_graph_pattern_sub(group, open);
  }
  open_groups_.pop_back();
  group.span = span_from(open.span.begin);
  if (group.pattern.is_unit() && group.pattern.span.empty()) group.pattern.span = group.span;
  return group;
}

void Parser::close_group(const Token& open) {
  if (take_if(TokenKind::RightBrace) || failed()) return;
  fail_in_group(open);
}

void Parser::group_graph_pattern_sub(Group& group, const Token& open) {
  Triples triples;  // of the basic graph pattern that is under way; FILTERs do not end it
  std::size_t bgp = ++bgp_count_;
  while (!failed()) {
    if (at_term() || at_node()) {
      bgp_ = bgp;
      triples_same_subject(triples);
      if (!take_if(TokenKind::Dot) && (at_term() || at_node() || at_verb())) fail_after_triple();
      continue;
    }
    if (at_word("FILTER")) {
      filter(group);
    } else if (at(TokenKind::LeftBrace) || at_word("OPTIONAL") || at_word("MINUS") ||
               at_word("GRAPH") || at_word("SERVICE") || at_word("BIND") || at_word("VALUES")) {
      end_triples(group, triples);
      bgp = ++bgp_count_;
      graph_pattern_not_triples(group);
    } else {
      break;
    }
    take_if(TokenKind::Dot);
  }
  end_triples(group, triples);
  close_group(open);
}

void Parser::graph_pattern_not_triples(Group& group) {
  if (at(TokenKind::LeftBrace)) return group_or_union_graph_pattern(group);
  if (at_word("OPTIONAL")) return optional_graph_pattern(group);
  if (at_word("MINUS")) return minus_graph_pattern(group);
  if (at_word("GRAPH")) return graph_graph_pattern(group);
  if (at_word("SERVICE")) return service_graph_pattern(group);
  if (at_word("BIND")) return bind(group);
  const std::uint32_t begin = token_.span.begin;
  take();
  Values values = data_block();
  values.span = span_from(begin);
  for (const Variable& variable : values.variables) group.scope.insert(variable.name);
  count_parts();
  join(group, Pattern(std::move(values), span_from(begin)), 1);
}

void Parser::end_triples(Group& group, Triples& triples) {
  if (triples.empty() || failed()) return;
  SourceSpan span;
  for (const TriplePattern& triple : triples) {
    add_variable(group.scope, triple.subject);
    add_variable(group.scope, triple.predicate);
    add_variable(group.scope, triple.object);
    span = cover(span, triple.span);
  }
  join(group, Pattern(BasicGraphPattern{std::exchange(triples, {})}, span), 1);
}

void Parser::join(Group& group, Pattern part, std::size_t depth) {
  if (failed() || part.is_unit()) return;
  if (group.pattern.is_unit()) {
    group.pattern = std::move(part);
    group.depth = depth;
    return;
  }
  const SourceSpan span = cover(group.pattern.span, part.span);
  if (std::holds_alternative<Join>(group.pattern.node)) {
    --group.depth;
  } else {
    Join whole;
    whole.parts.push_back(std::move(group.pattern));
    group.pattern = Pattern(std::move(whole));
    count_parts();
  }
  auto& parts = std::get<Join>(group.pattern.node).parts;
  if (auto* more = std::get_if<Join>(&part.node)) {
    std::move(more->parts.begin(), more->parts.end(), std::back_inserter(parts));
    --depth;
  } else {
    parts.push_back(std::move(part));
  }
  group.pattern.span = span;
  raise_depth(std::max(group.depth, depth));
  group.depth = depth_;
}

Pattern Parser::wrap(Group& inner) {
  depth_ = inner.depth;
  if (inner.filters.empty()) return std::move(inner.pattern);
  count_parts();
  raise_depth(std::max(inner.depth, inner.filter_depth));
  return {Filter{std::move(inner.pattern), std::move(inner.filters)}, inner.span};
}

void Parser::optional_graph_pattern(Group& group) {
  const std::uint32_t begin = token_.span.begin;
  take();
  Group inner = group_graph_pattern("OPTIONAL", "write OPTIONAL { ?s ex:p ?o }");
  if (failed()) return;
  count_parts();
  raise_depth(std::max({group.depth, inner.depth, inner.filter_depth}));
  group.depth = depth_;
  group.scope.merge(inner.scope);
  group.pattern = Pattern(
      LeftJoin{std::move(group.pattern), std::move(inner.pattern), std::move(inner.filters)},
      span_from(begin));
}

void Parser::minus_graph_pattern(Group& group) {
  const std::uint32_t begin = token_.span.begin;
  take();
  Group inner = group_graph_pattern("MINUS", "write MINUS { ?s ex:p ?o }");
  Pattern right = wrap(inner);
  if (failed()) return;
  count_parts();
  raise_depth(std::max(group.depth, depth_));
  group.depth = depth_;
  group.pattern = Pattern(Minus{std::move(group.pattern), std::move(right)}, span_from(begin));
}

void Parser::group_or_union_graph_pattern(Group& group) {
  const std::uint32_t begin = token_.span.begin;
  Group first = group_graph_pattern("the pattern");
  Pattern pattern = wrap(first);
  std::size_t depth = depth_;
  group.scope.merge(first.scope);
  if (!at_word("UNION")) return join(group, std::move(pattern), depth);
  Union all;
  all.parts.push_back(std::move(pattern));
  while (take_word("UNION")) {
    if (all.parts.size() == limits_.query_branches_max) {
      return fail_at(last_.span.begin,
                     fmt::format("a UNION has more than {} branches",
                                 format_count(limits_.query_branches_max)),
                     "give the terms that differ in VALUES", ErrorCode::LimitExceeded);
    }
    Group branch =
        group_graph_pattern("UNION", "UNION stands between groups: { ... } UNION { ... }");
    all.parts.push_back(wrap(branch));
    depth = std::max(depth, depth_);
    group.scope.merge(branch.scope);
  }
  if (failed()) return;
  count_parts();
  raise_depth(depth);
  depth = depth_;
  join(group, Pattern(std::move(all), span_from(begin)), depth);
}

void Parser::graph_graph_pattern(Group& group) {
  const std::uint32_t begin = token_.span.begin;
  take();
  VarOrIri name = var_or_iri("the graph's IRI or a variable after GRAPH");
  Group inner = group_graph_pattern("the name of the graph", "write GRAPH ?g { ?s ?p ?o }");
  Pattern pattern = wrap(inner);
  if (failed()) return;
  count_parts();
  raise_depth(depth_);
  const std::size_t depth = depth_;
  add_variable(group.scope, name);
  group.scope.merge(inner.scope);
  join(group, Pattern(Graph{std::move(name), std::move(pattern)}, span_from(begin)), depth);
}

void Parser::service_graph_pattern(Group& group) {
  const std::uint32_t begin = token_.span.begin;
  take();
  const bool is_silent = take_word("SILENT");
  VarOrIri endpoint = var_or_iri("the endpoint's IRI or a variable after SERVICE");
  Group inner = group_graph_pattern("the endpoint", "write SERVICE <http://...> { ?s ?p ?o }");
  Pattern pattern = wrap(inner);
  if (failed()) return;
  count_parts();
  raise_depth(depth_);
  const std::size_t depth = depth_;
  add_variable(group.scope, endpoint);
  group.scope.merge(inner.scope);
  join(group,
       Pattern(Service{std::move(endpoint), is_silent, std::move(pattern)}, span_from(begin)),
       depth);
}

// How BIND should have been written, for one without AS.
std::string Parser::bind_form(const Expression& value) const {
  const auto* equation = value.if_is<Operation>();
  if (equation != nullptr && equation->function == Function::Equal &&
      equation->arguments[0].if_is<Variable>() != nullptr) {
    return fmt::format("write BIND({} AS {})", excerpt(equation->arguments[1].span),
                       excerpt(equation->arguments[0].span));
  }
  return fmt::format("write BIND({} AS ?name)", excerpt(value.span));
}

void Parser::bind(Group& group) {
  constexpr std::string_view kForm = "write BIND(expression AS ?name)";
  const std::uint32_t begin = token_.span.begin;
  take();
  if (!expect(TokenKind::LeftParenthesis, "'(' after BIND", std::string(kForm))) return;
  const Nested nested(*this);
  const ScopedValue<std::string_view> place(aggregate_place_, "BIND");
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Forbidden);
  Expression value = expression();
  const std::size_t value_depth = depth_;
  if (failed()) return;
  if (!take_word("AS")) {
    fail_behind_operand();
    return fail_expected("AS and a variable in BIND", bind_form(value));
  }
  Variable variable = var("the new variable after AS");
  if (failed()) return;
  if (group.scope.count(variable.name) > 0) {
    return fail_at(
        variable.span.begin,
        fmt::format("BIND gives a value to ?{0}, which the group has already bound", variable.name),
        "use a new name, or compare instead: FILTER(?x = expression)");
  }
  expect(TokenKind::RightParenthesis, "')' at the end of BIND", std::string(kForm));
  if (failed()) return;
  count_parts();
  raise_depth(std::max(group.depth, value_depth));
  group.depth = depth_;
  group.scope.insert(variable.name);
  group.pattern = Pattern(Extend{std::move(group.pattern), std::move(variable), std::move(value)},
                          span_from(begin));
}

void Parser::filter(Group& group) {
  take();
  const ScopedValue<std::string_view> place(aggregate_place_, "FILTER");
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Forbidden);
  group.filters.push_back(constraint("FILTER"));
  group.filter_depth = std::max(group.filter_depth, depth_);
}

// BrackettedExpression, BuiltInCall or FunctionCall
Expression Parser::constraint(std::string_view keyword) {
  const Token first = token_;
  if (!at(TokenKind::LeftParenthesis) && !at_built_in_call() && !at_iri()) {
    fail_near_exists();
    if (at_word("NOT")) {
      fail_here("NOT is no operator of SPARQL",
                fmt::format("negation is '!': {}(!(...)); or NOT EXISTS {{ ... }}", keyword));
    }
    fail_expected(fmt::format("'(' after {}", keyword),
                  fmt::format("the condition stands in parentheses: {}(?x > 3)", keyword));
    return {Variable{}};
  }
  Expression condition = primary_expression();
  if (failed()) return condition;
  const bool is_bare_iri =
      first.kind != TokenKind::LeftParenthesis && condition.if_is<Constant>() != nullptr;
  if (is_bare_iri) {
    fail_expected(
        fmt::format("'(' after {}", excerpt(first.span)),
        fmt::format("a function is called with its arguments: {}(?x)", excerpt(first.span)));
  }
  switch (token_.kind) {
    case TokenKind::AmpAmp:
    case TokenKind::PipePipe:
    case TokenKind::Equal:
    case TokenKind::BangEqual:
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
      fail_here(fmt::format("'{}' after the condition of {}", token_.text, keyword),
                fmt::format("put the whole condition into one pair of parentheses: {}(... {} ...)",
                            keyword, token_.text));
      break;
    case TokenKind::Word:
      if (at_word("AND") || at_word("OR")) {
        fail_here(fmt::format("{} is no operator of SPARQL", token_.text),
                  fmt::format("write one {}(... {} ...)", keyword, at_word("AND") ? "&&" : "||"));
      }
      break;
    default:
      break;
  }
  return condition;
}

}  // namespace helve::sparql
