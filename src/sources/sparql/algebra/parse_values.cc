// VALUES. https://www.w3.org/TR/sparql11-query/#inline-data
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

// DataBlock, after VALUES
Values Parser::data_block() {
  Values values;
  bool is_list = false;
  if (at(TokenKind::Variable)) {
    values.variables.push_back(var());
    if (at(TokenKind::Variable) || at(TokenKind::Comma)) {
      fail_here("several variables of VALUES stand in parentheses",
                "write VALUES (?x ?y) { (1 2) (3 4) }");
    }
  } else if (take_if(TokenKind::LeftParenthesis)) {
    is_list = true;
    while (at(TokenKind::Variable)) {
      values.variables.push_back(var());
      const std::string& name = values.variables.back().name;
      const auto is_same = [&](const Variable& v) { return v.name == name; };
      if (std::count_if(values.variables.begin(), values.variables.end(), is_same) > 1) {
        fail_at(last_.span.begin, fmt::format("VALUES names ?{} twice", name), "remove one");
      }
      if (values.variables.size() > limits_.query_prefixes_max) {
        fail_at(last_.span.begin, "VALUES has too many variables", {}, ErrorCode::LimitExceeded);
      }
    }
    if (at(TokenKind::Comma)) {
      fail_here("the variables of VALUES are separated by spaces, not by commas",
                "write VALUES (?x ?y)");
    }
    expect(TokenKind::RightParenthesis, "a variable or ')' in VALUES");
  } else {
    fail_expected("a variable, or variables in parentheses, after VALUES",
                  "write VALUES ?x { 1 2 3 }");
  }
  if (!expect(TokenKind::LeftBrace, "'{' and the values", "write VALUES ?x { 1 2 3 }")) {
    return values;
  }
  while (!at(TokenKind::RightBrace) && !failed()) {
    if (values.rows.size() == limits_.query_values_max) {
      fail_at(token_.span.begin,
              fmt::format("VALUES has more than {} rows", format_count(limits_.query_values_max)),
              "ask in several queries", ErrorCode::LimitExceeded);
    } else if (is_list) {
      data_block_row(values);
    } else {
      values.rows.push_back({data_block_value()});
    }
  }
  take_if(TokenKind::RightBrace);
  return values;
}

void Parser::data_block_row(Values& values) {
  const Token open = token_;
  if (!expect(TokenKind::LeftParenthesis, "'(' and a row of values, or '}'",
              "with variables in parentheses, each row stands in parentheses too: (1 2) (3 4)")) {
    return;
  }
  auto& row = values.rows.emplace_back();
  row.reserve(values.variables.size());
  while (!at(TokenKind::RightParenthesis) && !failed() && row.size() <= values.variables.size()) {
    row.push_back(data_block_value());
  }
  if (failed()) return;
  if (row.size() != values.variables.size()) {
    const bool has_more = row.size() > values.variables.size();
    return fail_at(open.span.begin,
                   fmt::format("this row of VALUES has {} values than there are variables ({})",
                               has_more ? "more" : "fewer", values.variables.size()),
                   "write UNDEF where a variable has no value");
  }
  take();
}

// DataBlockValue
std::optional<rdf::Term> Parser::data_block_value() {
  if (take_word("UNDEF")) return std::nullopt;
  if (at_iri()) return rdf::Term(rdf::TermView::iri(iri("an IRI")));
  if (at_term() && !at(TokenKind::Variable) && !at(TokenKind::BlankLabel)) return literal().term;
  if (at(TokenKind::Comma)) {
    fail_here("values are separated by spaces, not by commas", "remove the comma");
  } else if (at(TokenKind::Variable) || at(TokenKind::BlankLabel)) {
    fail_here(fmt::format("{} cannot stand among the values of VALUES", describe(token_)),
              "values are IRIs and literals; use BIND or FILTER for anything computed");
  } else if (at_word("NULL")) {
    fail_here("there is no NULL in SPARQL", "write UNDEF where a variable has no value");
  } else if (at(TokenKind::LeftParenthesis)) {
    fail_here("a row in parentheses, but the variable stands without",
              "write VALUES (?x) { (1) (2) }, or VALUES ?x { 1 2 }");
  } else {
    fail_in_term();
    fail_expected("an IRI, a literal or UNDEF");
  }
  return std::nullopt;
}

}  // namespace helve::sparql
