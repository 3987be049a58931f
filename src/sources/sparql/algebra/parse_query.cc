// The forms of a query. Solution modifiers are in parse_modifiers.cc.
// https://www.w3.org/TR/sparql11-query/#rQueryUnit
#include <fmt/core.h>

#include <algorithm>

#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

Result<ParsedQuery> Parser::query_unit() {
  ParsedQuery parsed;
  Query& query = parsed.query;
  prologue();
  if (at_word("SELECT")) {
    select_query(query);
  } else if (at_word("CONSTRUCT")) {
    construct_query(query);
  } else if (at_word("DESCRIBE")) {
    describe_query(query);
  } else if (at_word("ASK")) {
    ask_query(query);
  } else {
    fail_at_start(true);
  }
  expect_end();
  if (failed()) return *std::move(error_);
  query.version = version_;
  query.base_iri = resolver_.base();
  query.prefixes = take_prefixes();
  parsed.notes = std::move(notes_);
  return parsed;
}

void Parser::expect_end() {
  if (!failed() && !at(TokenKind::End)) fail_behind_query();
}

void Parser::select_query(Query& query) {
  const std::uint32_t begin = token_.span.begin;
  Select select = select_clause();
  dataset_clauses(query);
  select_rest(select);
  select.span = span_from(begin);
  query.form = std::move(select);
}

Select Parser::sub_select(Scope& scope) {
  const std::uint32_t begin = token_.span.begin;
  Select select = select_clause();
  if (at_word("FROM")) {
    fail_here("FROM stands in a sub-query", "FROM belongs to the outermost query alone");
  }
  const Scope all = select_rest(select);
  raise_depth(depth_);
  if (select.is_star) {
    scope = all;
  } else {
    for (const SelectItem& item : select.items) scope.insert(item.variable.name);
  }
  select.span = span_from(begin);
  return select;
}

Select Parser::select_clause() {
  take();
  Select select;
  depth_ = 0;
  if (take_word("DISTINCT")) {
    select.duplicates = Duplicates::Distinct;
  } else if (take_word("REDUCED")) {
    select.duplicates = Duplicates::Reduced;
  }
  if (at(TokenKind::Star)) {
    select.is_star = true;
    select.span = take().span;  // of what is selected, until the whole is known
    if (at(TokenKind::Variable) || at(TokenKind::LeftParenthesis) || at(TokenKind::Comma)) {
      fail_here("'*' already selects every variable",
                "select either * or a list of variables and (expression AS ?name)");
    }
    return select;
  }
  std::size_t depth = 0;
  ItemNames names;
  while (!failed() && (at(TokenKind::Variable) || at(TokenKind::LeftParenthesis))) {
    select_item(select, names);
    depth = std::max(depth, depth_);
  }
  depth_ = depth;
  if (failed()) return select;
  if (select.items.empty() || !(at_word("WHERE") || at_word("FROM") || at(TokenKind::LeftBrace))) {
    fail_in_select(select);
  }
  return select;
}

void Parser::select_item(Select& select, ItemNames& names) {
  if (at(TokenKind::Variable)) return add_item(select, {var(), std::nullopt}, names);
  const Nested nested(*this);
  const Token open = take();
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Allowed);
  Expression value = expression();
  if (failed()) return;
  const std::string written = excerpt(value.span);
  if (at(TokenKind::RightParenthesis)) {
    if (const auto* variable = value.if_is<Variable>()) {
      return fail_at(open.span.begin, "a variable alone takes no parentheses in SELECT",
                     fmt::format("write ?{}", variable->name));
    }
    return fail_here(fmt::format("expected AS and a variable: {} in SELECT has no name", written),
                     fmt::format("write ({} AS ?name)", written));
  }
  if (at(TokenKind::Comma)) {
    return fail_here("expected AS and a variable, but met ','",
                     fmt::format("write ({} AS ?name)", written));
  }
  if (!take_word("AS")) {
    fail_behind_operand();
    return fail_expected("AS and a variable", fmt::format("write ({} AS ?name)", written));
  }
  Variable variable = var("a variable after AS");
  expect(TokenKind::RightParenthesis, "')' after the variable");
  add_item(select, {std::move(variable), std::move(value)}, names);
}

void Parser::add_item(Select& select, SelectItem item, ItemNames& names) {
  const bool has_expression = item.expression.has_value();
  const auto [found, is_new] = names.emplace(item.variable.name, has_expression);
  if (is_new) {
    count_parts();
    select.items.push_back(std::move(item));
  } else if (found->second || has_expression) {
    fail_at(item.variable.span.begin, fmt::format("SELECT names ?{} twice", item.variable.name),
            "give every (expression AS ?name) a name of its own");
  } else {
    note(item.variable.span,
         fmt::format("?{} is selected twice; the second is left out", item.variable.name));
  }
}

Scope Parser::select_rest(Select& select) {
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Allowed);
  std::size_t depth = depth_;
  Scope scope = where_clause(select.body);
  depth = std::max(depth, depth_);
  solution_modifier(select.body, scope);
  depth = std::max(depth, depth_);
  values_clause(select.body, scope);
  depth_ = depth;
  if (!failed()) check_select(select, scope);
  return scope;
}

void Parser::construct_query(Query& query) {
  take();
  Construct construct;
  const bool is_short = at_word("WHERE") || at_word("FROM");
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Allowed);
  TripleRules rules;
  rules.place = is_short ? "CONSTRUCT WHERE" : "the template of CONSTRUCT";
  rules.has_paths = false;
  rules.is_pattern = false;
  if (!is_short) {
    const ScopedValue<TripleRules> scoped(rules_, rules);
    const Token open = token_;
    expect(TokenKind::LeftBrace, "'{' and the template after CONSTRUCT",
           "write CONSTRUCT { ?s ex:p ?o } WHERE { ... }");
    triples_template(construct.triples);
    if (!take_if(TokenKind::RightBrace) && !failed()) fail_in_group(open);
  }
  dataset_clauses(query);
  Scope scope;
  if (is_short) {
    const ScopedValue<TripleRules> scoped(rules_, rules);
    if (!take_word("WHERE")) fail_expected("WHERE and a pattern in braces");
    const Token open = token_;
    expect(TokenKind::LeftBrace, "'{' after WHERE");
    triples_template(construct.triples);
    if (!at(TokenKind::RightBrace) && !failed()) {
      fail_expected("'}' or a triple",
                    "the short form CONSTRUCT WHERE holds only triples; write "
                    "CONSTRUCT { ... } WHERE { ... } for anything else");
    }
    take();
    construct.body.where =
        Pattern(BasicGraphPattern{construct.triples}, span_from(open.span.begin));
  } else {
    scope = where_clause(construct.body);
  }
  solution_modifier(construct.body, scope);
  values_clause(construct.body, scope);
  check_body(construct.body);
  query.form = std::move(construct);
}

void Parser::describe_query(Query& query) {
  take();
  Describe describe;
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Allowed);
  if (take_if(TokenKind::Star)) {
    describe.is_star = true;
  } else {
    do {
      describe.targets.push_back(var_or_iri("an IRI, a variable or '*' after DESCRIBE"));
      count_parts();
    } while (at(TokenKind::Variable) || at_iri());
  }
  if (at(TokenKind::Comma)) {
    fail_here("what DESCRIBE names is separated by spaces, not by commas", "remove the comma");
  }
  dataset_clauses(query);
  Scope scope;
  if (at_word("WHERE") || at(TokenKind::LeftBrace)) scope = where_clause(describe.body);
  solution_modifier(describe.body, scope);
  values_clause(describe.body, scope);
  check_body(describe.body);
  query.form = std::move(describe);
}

void Parser::ask_query(Query& query) {
  take();
  Ask ask;
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Allowed);
  dataset_clauses(query);
  Scope scope = where_clause(ask.body);
  solution_modifier(ask.body, scope);
  values_clause(ask.body, scope);
  check_body(ask.body);
  query.form = std::move(ask);
}

void Parser::dataset_clauses(Query& query) {
  while (at_word("FROM")) {
    const std::uint32_t begin = token_.span.begin;
    take();
    DatasetGraph graph;
    graph.is_named = take_word("NAMED");
    if (at(TokenKind::Word)) {
      return fail_here(
          fmt::format("FROM takes the IRI of a graph, but met '{}'", excerpt(token_.span)),
          "SPARQL has no tables: leave FROM out and write WHERE { ?s ?p ?o }");
    }
    graph.iri = iri("the IRI of a graph after FROM");
    graph.span = span_from(begin);
    count_parts();
    query.dataset.push_back(std::move(graph));
  }
}

Scope Parser::where_clause(Body& body) {
  const ScopedValue<Aggregates> aggregates(aggregates_, Aggregates::Forbidden);
  const bool has_keyword = take_word("WHERE");
  if (!at(TokenKind::LeftBrace) && !failed()) {
    fail_expected(has_keyword ? "'{' after WHERE" : "WHERE and a pattern in braces",
                  "the pattern stands in braces: WHERE { ?s ?p ?o . FILTER(?o > 3) }");
  }
  Group group = group_graph_pattern("WHERE");
  body.where = wrap(group);
  return std::move(group.scope);
}

}  // namespace helve::sparql
