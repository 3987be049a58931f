// IRIs, literals, variables and blank nodes.
// https://www.w3.org/TR/sparql11-query/#QSynTerms
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "sources/rdf/turtle_lexer.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

std::string Parser::name_of(const Token& token) {
  std::string name;
  if (token.has_escapes && token.kind != TokenKind::Word) {
    append_name_unescaped(name, token.text);
  } else {
    name = token.text;
  }
  return name;
}

bool Parser::at_term() {
  switch (token_.kind) {
    case TokenKind::Variable:
    case TokenKind::IriRef:
    case TokenKind::PrefixedName:
    case TokenKind::BlankLabel:
    case TokenKind::String:
    case TokenKind::Integer:
    case TokenKind::Decimal:
    case TokenKind::Double:
      return true;
    case TokenKind::Word:
      return at_word("true") || at_word("false");
    default:
      return at_signed_number();
  }
}

std::string Parser::iri(std::string_view expected) {
  if (at(TokenKind::IriRef)) return resolve(take());
  if (at(TokenKind::PrefixedName)) return prefixed_name(take());
  if (!fail_open_iri()) {
    fail_expected(expected, at(TokenKind::Word)
                                ? "write an IRI in angle brackets or a name such as ex:name"
                                : "");
  }
  return {};
}

std::string Parser::resolve(const Token& token) {
  std::string reference;
  if (token.has_escapes) {
    rdf::append_unescaped(reference, token.text);
  } else {
    reference = token.text;
  }
  note_bracketed_name(token);
  std::string out;
  if (const auto resolved = resolver_.resolve(reference, out); !resolved) {
    fail_at(token.span.begin,
            fmt::format("the IRI {} is relative and there is no base to resolve it against",
                        excerpt(token.span)),
            "write the whole IRI, or a line BASE <http://example.org/> at the top");
    return {};
  }
  charge(out.size());
  return out;
}

std::string Parser::prefixed_name(const Token& token) {
  const std::size_t colon = token.text.find(':');
  std::string prefix;
  append_name_unescaped(prefix, token.text.substr(0, colon));
  if (prefixes_.find(prefix) == prefixes_.end() && text_.substr(token.span.end).starts_with("//") &&
      fail_bare_iri(token)) {
    return {};
  }
  const std::string* base = prefix_iri(prefix, token);
  if (base == nullptr) return {};
  charge(base->size() + token.text.size());
  if (failed()) return {};
  std::string out = *base;
  append_name_unescaped(out, token.text.substr(colon + 1));
  return out;
}

bool Parser::check_variable(const Token& token) {
  if (rules_.has_variables) return true;
  fail_at(token.span.begin,
          fmt::format("the variable {} stands in {}, which takes only data", excerpt(token.span),
                      rules_.place),
          "use INSERT { ... } WHERE { ... } or DELETE { ... } WHERE { ... } with variables");
  return false;
}

Variable Parser::var(std::string_view expected) {
  if (at(TokenKind::Variable)) {
    const Token token = take();
    return {name_of(token), token.span};
  }
  fail_expected(expected, at(TokenKind::Word)
                              ? fmt::format("variables begin with '?': write ?{}", token_.text)
                              : "");
  return {};
}

VarOrIri Parser::var_or_iri(std::string_view expected) {
  if (at(TokenKind::Variable)) {
    if (!check_variable(token_)) return {};
    return var();
  }
  const std::uint32_t begin = token_.span.begin;
  std::string value = iri(expected);
  return Constant{rdf::Term(rdf::TermView::iri(value)), span_from(begin)};
}

std::string Parser::string_value() {
  const Token token = take();
  std::string value;
  if (token.has_escapes) {
    rdf::append_unescaped(value, token.text);
  } else {
    value = token.text;
  }
  return value;
}

// REQUIRES: at_term(), but neither a variable, an IRI nor a blank node.
Constant Parser::literal() {
  if (at(TokenKind::String)) return rdf_literal();
  if (at(TokenKind::Word)) {
    const Token token = take();
    return {rdf::Term(rdf::TermView::literal(is_word(token, "true") ? "true" : "false",
                                             rdf::kXsdBoolean)),
            token.span};
  }
  return numeric_literal();
}

Constant Parser::numeric_literal() {
  const std::uint32_t begin = token_.span.begin;
  if (!at(TokenKind::Integer) && !at(TokenKind::Decimal) && !at(TokenKind::Double)) take();
  const Token number = take();
  const SourceSpan span{begin, number.span.end};
  const std::string_view datatype = number.kind == TokenKind::Integer   ? rdf::kXsdInteger
                                    : number.kind == TokenKind::Decimal ? rdf::kXsdDecimal
                                                                        : rdf::kXsdDouble;
  return {rdf::Term(rdf::TermView::literal(source(span), datatype)), span};
}

Constant Parser::rdf_literal() {
  const std::uint32_t begin = token_.span.begin;
  Constant constant;
  constant.term.kind = rdf::TermKind::Literal;
  constant.term.value = string_value();
  if (at(TokenKind::LangTag)) {
    const Token tag = take();
    const std::size_t direction = tag.text.find("--");
    constant.term.language = tag.text.substr(0, direction);
    if (direction != std::string_view::npos) {
      const std::string_view name = tag.text.substr(direction + 2);
      if (version_ == Version::Sparql11) {
        fail_at(tag.span.begin, "a base direction is SPARQL 1.2",
                "put VERSION \"1.2\" at the top, or write the language alone");
      } else if (name != "ltr" && name != "rtl") {
        fail_at(tag.span.begin, fmt::format("'{}' is no base direction", name),
                "write --ltr or --rtl");
      }
      constant.term.direction = name == "ltr" ? rdf::Direction::Ltr : rdf::Direction::Rtl;
    }
  } else if (take_if(TokenKind::CaretCaret)) {
    constant.term.datatype = iri("the IRI of a datatype after '^^'");
    if (constant.term.datatype == rdf::kXsdString) constant.term.datatype.clear();
  } else if (at(TokenKind::Caret) && is_next_to(last_, token_)) {
    fail_here("a datatype follows '^^', but met a single '^'", "write \"...\"^^xsd:date");
  }
  constant.span = span_from(begin);
  return constant;
}

bool Parser::check_blank_node(SourceSpan span) {
  if (rules_.has_blank_nodes) return true;
  fail_at(span.begin, fmt::format("a blank node cannot stand in {}", rules_.place),
          "use a variable that the WHERE clause binds, or the node's IRI");
  return false;
}

// A label belongs to one basic graph pattern, and to one INSERT DATA.
BlankNode Parser::blank_node_label() {
  const Token token = take();
  BlankNode node{name_of(token), token.span};
  if (!check_blank_node(token.span)) return node;
  if (rules_.is_data) {
    const auto [found, is_new] = label_operations_.emplace(node.label, operation_);
    if (!is_new && found->second != operation_) {
      fail_at(token.span.begin,
              fmt::format("the blank node {} was already used in another INSERT DATA",
                          excerpt(token.span)),
              "labels mean nothing beyond one operation: use another label, or an IRI");
    }
  } else if (rules_.is_pattern) {
    const auto [found, is_new] = label_bgps_.emplace(node.label, bgp_);
    if (!is_new && found->second != bgp_) {
      fail_at(token.span.begin,
              fmt::format("the blank node {} was already used in another group of triples",
                          excerpt(token.span)),
              fmt::format("use a variable for both: ?{}",
                          excerpt({token.span.begin + 2, token.span.end})));
    }
  }
  return node;
}

BlankNode Parser::fresh_blank_node(SourceSpan span) {
  if (!written_labels_) written_labels_ = blank_labels_in(text_);
  check_blank_node(span);
  std::string label;
  do {
    label = fmt::format("b{}", fresh_labels_++);
  } while (written_labels_->count(label) > 0);
  return {std::move(label), span};
}

TermPattern Parser::var_or_term() {
  if (at(TokenKind::Variable)) {
    if (!check_variable(token_)) return {};
    return var();
  }
  if (at_iri()) {
    const std::uint32_t begin = token_.span.begin;
    std::string value = iri("an IRI");
    return Constant{rdf::Term(rdf::TermView::iri(value)), span_from(begin)};
  }
  if (at(TokenKind::BlankLabel)) return blank_node_label();
  if (at_term()) return literal();
  fail_in_term();
  return {};
}

}  // namespace helve::sparql
