// Triples with their short forms: predicate and object lists, [ ... ] and ( ... ).
// https://www.w3.org/TR/sparql11-query/#QSynTriples
#include <fmt/core.h>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/parser_state.h"

namespace helve::sparql {

namespace {

Constant iri_constant(std::string_view iri, SourceSpan span) {
  return {rdf::Term(rdf::TermView::iri(iri)), span};
}

std::size_t path_size(const Path& path) {
  std::size_t size = 1;
  for (const Path& part : path.parts) size += path_size(part);
  return size;
}

std::size_t path_bytes(const Path& path) {
  std::size_t bytes = path.iri.size();
  for (const Path& part : path.parts) bytes += path_bytes(part);
  return bytes;
}

struct TermBytes {
  std::size_t operator()(const Variable& variable) const { return variable.name.size(); }
  std::size_t operator()(const BlankNode& node) const { return node.label.size(); }
  std::size_t operator()(const Constant& constant) const {
    return constant.term.value.size() + constant.term.datatype.size();
  }
  std::size_t operator()(const Path& path) const { return path_bytes(path); }
};

template <typename Term>
SourceSpan span_of(const Term& term) {
  return std::visit([](const auto& node) { return node.span; }, term);
}

}  // namespace

// Subjects, predicates and whole paths are copied for every object.
void Parser::push_triple(Triples& out, const TermPattern& subject,
                         const PredicatePattern& predicate, const TermPattern& object_term,
                         SourceSpan span) {
  const Path* path = std::get_if<Path>(&predicate);
  if (!rules_.is_data) count_parts(path == nullptr ? 1 : 1 + path_size(*path));
  charge(std::visit(TermBytes(), subject) + std::visit(TermBytes(), predicate));
  if (!failed()) out.push_back({subject, predicate, object_term, span});
}

bool Parser::at_empty_node() {
  if (at(TokenKind::LeftBracket)) return peek().kind == TokenKind::RightBracket;
  return at(TokenKind::LeftParenthesis) && peek().kind == TokenKind::RightParenthesis;
}

TermPattern Parser::empty_node() {
  const Token open = take();
  take();
  const SourceSpan span = span_from(open.span.begin);
  if (open.kind == TokenKind::LeftParenthesis) return iri_constant(rdf::kRdfNil, span);
  return fresh_blank_node(span);
}

// REQUIRES: at_node(), not empty. The token stays.
BlankNode Parser::open_node() { return fresh_blank_node(token_.span); }

// BlankNodePropertyListPath or CollectionPath
void Parser::finish_node(Triples& out, const BlankNode& head, const Token& open) {
  const Nested nested(*this);
  if (failed()) return;
  take();
  if (open.kind == TokenKind::LeftParenthesis) return collection(out, head, open);
  property_list(out, head, token_.span.begin);
  if (failed()) return;
  expect(TokenKind::RightBracket, "']' or ';' and another predicate",
         fmt::format("the '[' stands at line {}", position(open.span.begin).line));
}

void Parser::collection(Triples& out, const BlankNode& head, const Token& open) {
  const Constant first = iri_constant(rdf::kRdfFirst, {});
  const Constant rest = iri_constant(rdf::kRdfRest, {});
  BlankNode node = head;
  while (!failed()) {
    const std::uint32_t begin = token_.span.begin;
    if (!at_term() && !at_node()) {
      return fail_expected(
          "a term of the list, or ')'",
          fmt::format("the '(' stands at line {}", position(open.span.begin).line));
    }
    object(out, node, first, begin);
    if (at(TokenKind::Comma)) {
      return fail_here("the terms of a list are separated by spaces, not by commas",
                       "remove the comma");
    }
    if (at(TokenKind::RightParenthesis)) break;
    BlankNode next = fresh_blank_node(span_from(begin));
    push_triple(out, node, rest, next, span_from(begin));
    node = std::move(next);
  }
  push_triple(out, node, rest, iri_constant(rdf::kRdfNil, {}), token_.span);
  take();
}

void Parser::object(Triples& out, const TermPattern& subject, const PredicatePattern& predicate,
                    std::uint32_t begin) {
  if (at_empty_node()) {
    const TermPattern term = empty_node();
    return push_triple(out, subject, predicate, term, span_from(begin));
  }
  if (!at_node()) {
    const TermPattern term = var_or_term();
    return push_triple(out, subject, predicate, term, span_from(begin));
  }
  // The triple comes before those of its object, as it was written.
  const Token open = token_;
  const BlankNode head = open_node();
  const std::size_t index = out.size();
  push_triple(out, subject, predicate, head, open.span);
  finish_node(out, head, open);
  if (failed()) return;
  out[index].span = span_from(begin);
  std::get<BlankNode>(out[index].object).span = span_from(open.span.begin);
}

void Parser::object_list(Triples& out, const TermPattern& subject,
                         const PredicatePattern& predicate, std::uint32_t begin) {
  object(out, subject, predicate, begin);
  while (!failed() && take_if(TokenKind::Comma)) {
    object(out, subject, predicate, token_.span.begin);
  }
}

bool Parser::at_verb() {
  switch (token_.kind) {
    case TokenKind::Variable:
    case TokenKind::IriRef:
    case TokenKind::PrefixedName:
    case TokenKind::LeftParenthesis:
    case TokenKind::Caret:
    case TokenKind::Bang:
      return true;
    default:
      return at(TokenKind::Word) && token_.text == "a";
  }
}

PredicatePattern Parser::verb() {
  if (at(TokenKind::Variable)) {
    if (!check_variable(token_)) return {};
    return var();
  }
  if (!at_verb()) {
    fail_in_verb();
    return {};
  }
  const std::uint32_t begin = token_.span.begin;
  Path whole = path();
  if (whole.kind == Path::Kind::Iri) return iri_constant(whole.iri, whole.span);
  if (!rules_.has_paths) {
    fail_at(begin, fmt::format("a property path cannot stand in {}", rules_.place),
            "use a single predicate there");
  }
  return whole;
}

// PropertyListPathNotEmpty
void Parser::property_list(Triples& out, const TermPattern& subject, std::uint32_t begin) {
  while (!failed()) {
    const PredicatePattern predicate = verb();
    object_list(out, subject, predicate, begin);
    if (!at(TokenKind::Semicolon)) return;
    while (take_if(TokenKind::Semicolon)) {
    }
    if (!at_verb()) return;
    begin = token_.span.begin;
  }
}

// TriplesSameSubjectPath
void Parser::triples_same_subject(Triples& out) {
  const std::uint32_t begin = token_.span.begin;
  if (at_node() && !at_empty_node()) {
    const Token open = token_;
    BlankNode head = open_node();
    finish_node(out, head, open);
    head.span = span_from(begin);
    if (at_verb()) property_list(out, head, begin);
    return;
  }
  const TermPattern subject = at_node() ? empty_node() : var_or_term();
  if (failed()) return;
  if (const auto* constant = std::get_if<Constant>(&subject);
      constant != nullptr && constant->term.kind == rdf::TermKind::Literal) {
    if (rules_.place == "INSERT DATA") {
      return fail_at(span_of(subject).begin, "a literal as subject: no triple has one",
                     "the subject is an IRI or a blank node; a literal can only be the object");
    }
    note(span_of(subject), "a literal as subject: no triple has one, so this matches nothing");
  }
  property_list(out, subject, begin);
}

// TriplesTemplate: triples and dots up to something else.
void Parser::triples_template(Triples& out) {
  while (!failed() && (at_term() || at_node())) {
    triples_same_subject(out);
    if (!take_if(TokenKind::Dot)) {
      if (at_term() || at_node() || at_verb()) fail_after_triple();
      return;
    }
  }
}

}  // namespace helve::sparql
