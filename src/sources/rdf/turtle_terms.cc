// The terms of Turtle, and what an error says where none was found.
#include <fmt/format.h>

#include <array>

#include "base/ascii.h"
#include "sources/rdf/turtle_parser.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

struct KnownPrefix {
  std::string_view name;
  std::string_view iri;
};

// What people forget to declare.
constexpr std::array<KnownPrefix, 12> kKnownPrefixes{{
    {"rdf", kRdf},
    {"rdfs", kRdfs},
    {"xsd", kXsd},
    {"owl", kOwl},
    {"skos", "http://www.w3.org/2004/02/skos/core#"},
    {"foaf", "http://xmlns.com/foaf/0.1/"},
    {"dc", "http://purl.org/dc/elements/1.1/"},
    {"dct", "http://purl.org/dc/terms/"},
    {"dcterms", "http://purl.org/dc/terms/"},
    {"prov", "http://www.w3.org/ns/prov#"},
    {"schema", "https://schema.org/"},
    {"sh", "http://www.w3.org/ns/shacl#"},
}};

std::string_view datatype_of(NumberKind kind) {
  switch (kind) {
    case NumberKind::Integer:
      return kXsdInteger;
    case NumberKind::Decimal:
      return kXsdDecimal;
    case NumberKind::Double:
      return kXsdDouble;
  }
  return kXsdInteger;
}

}  // namespace

// iri ::= IRIREF | PrefixedName
bool TurtleParser::iri(HeldText& out, std::string_view expected) {
  const int c = lexer_.peek();
  if (c == '<') return iriref(out);
  PrefixedName name;
  if (c == TurtleLexer::kEnd || !lexer_.prefixed_name(name)) {
    return lexer_.fail_expected(lexer_.at(), expected);
  }
  return prefixed_name(name, out);
}

// IRIREF, made absolute.
bool TurtleParser::iriref(HeldText& out) {
  if (!lexer_.iriref(out)) return false;
  if (out.text.starts_with("http:") || has_iri_scheme(out.text)) [[likely]] {
    return true;
  }
  scratch_.clear();
  if (auto resolved = resolver_.resolve(out.text, scratch_); !resolved) {
    return lexer_.fail(lexer_.token_start(),
                       fmt::format("the relative IRI <{}> has no base", out.text),
                       "declare one with @base, or give the base of the document");
  }
  if (scratch_.size() > context_.limits.term_bytes_max) {
    return lexer_.fail_limit(lexer_.token_start(), fmt::format("an IRI is longer than {} bytes",
                                                               context_.limits.term_bytes_max));
  }
  out.scratch.swap(scratch_);
  out.text = out.scratch;
  return true;
}

bool TurtleParser::prefixed_name(const PrefixedName& name, HeldText& out) {
  const std::string* iri = prefixes_.find(name.prefix);
  if (iri == nullptr) return fail_undeclared(name);
  if (iri->size() + name.local.size() > context_.limits.term_bytes_max) {
    return lexer_.fail_limit(lexer_.token_start(), fmt::format("an IRI is longer than {} bytes",
                                                               context_.limits.term_bytes_max));
  }
  out.scratch.assign(*iri);
  if (name.has_escapes) {
    append_local_unescaped(out.scratch, name.local);
  } else {
    out.scratch.append(name.local);
  }
  out.text = out.scratch;
  return true;
}

bool TurtleParser::blank_node_label(HeldText& out) {
  std::string_view label;
  if (!lexer_.blank_node_label(label)) return false;
  out.scratch.clear();
  labels_.append_written(out.scratch, label);
  out.text = out.scratch;
  return true;
}

void TurtleParser::fresh_blank_node(HeldText& out) {
  out.scratch.clear();
  labels_.append_fresh(out.scratch);
  out.text = out.scratch;
}

// RDFLiteral ::= String (LANGTAG | '^^' iri)?
bool TurtleParser::rdf_literal() {
  object_kind_ = TermKind::Literal;
  datatype_.text = {};
  language_.text = {};
  if (!lexer_.string(object_)) return false;
  const int c = lexer_.peek();
  if (c == '@') return lexer_.langtag(language_.text);
  if (c == '^') return lexer_.pass_datatype_mark() && datatype();
  return !lexer_.has_failed();
}

bool TurtleParser::datatype() {
  if (!iri(datatype_, "the IRI of a datatype after '^^'")) return false;
  if (datatype_.text == kXsdString) datatype_.text = {};
  if (datatype_.text == kRdfLangString) {
    // https://www.w3.org/TR/rdf11-concepts/#section-Graph-Literal: no such literal without a tag.
    return lexer_.fail(lexer_.token_start(), "rdf:langString is not written as a datatype",
                       "write the language tag instead: \"text\"@en");
  }
  return true;
}

bool TurtleParser::numeric_literal() {
  NumberKind kind = NumberKind::Integer;
  if (!lexer_.number(object_, kind)) return fail_object();
  object_kind_ = TermKind::Literal;
  datatype_.text = datatype_of(kind);
  language_.text = {};
  return true;
}

bool TurtleParser::name_or_boolean_literal() {
  PrefixedName name;
  if (lexer_.prefixed_name(name)) {
    object_kind_ = TermKind::Iri;
    return prefixed_name(name, object_);
  }
  const std::string_view word = lexer_.word();
  if (word != "true" && word != "false") return fail_object();
  object_kind_ = TermKind::Literal;
  object_.text = word == "true" ? "true" : "false";
  datatype_.text = kXsdBoolean;
  language_.text = {};
  lexer_.pass_word(word);
  return true;
}

bool TurtleParser::fail_verb() {
  if (lexer_.has_failed()) return false;  // and leave the cursor where it is
  std::string hint;
  switch (lexer_.peek()) {
    case '_':
    case '[':
    case '(':
      hint = "a blank node cannot be a predicate";
      break;
    case '"':
    case '\'':
      hint = "a literal cannot be a predicate";
      break;
    case '{':
      hint = is_trig_ ? "" : "this looks like TriG: read it as TriG";
      break;
    case '=':
      hint = "'=' is Notation3; Turtle writes owl:sameAs";
      break;
    default:
      if (!lexer_.word().empty()) hint = "a name needs a prefix, such as ex:name";
  }
  return lexer_.fail_expected(lexer_.at(), "a predicate (an IRI, a prefixed name or 'a')",
                              std::move(hint));
}

bool TurtleParser::fail_object() {
  if (lexer_.has_failed()) return false;  // and leave the cursor where it is
  std::string hint;
  const int c = lexer_.peek();
  const std::string_view word = c == TurtleLexer::kEnd ? std::string_view{} : lexer_.word();
  if (word == "True" || word == "TRUE" || word == "False" || word == "FALSE") {
    hint = "booleans are written true and false";
  } else if (!word.empty()) {
    hint = "a name needs a prefix, such as ex:name; text goes in quotes";
  } else if (c == '{') {
    hint = is_trig_ ? "graphs cannot be nested" : "this looks like TriG: read it as TriG";
  }
  return lexer_.fail_expected(lexer_.at(), "an object (an IRI, a blank node or a literal)",
                              std::move(hint));
}

bool TurtleParser::fail_subject() {
  if (lexer_.has_failed()) return false;  // and leave the cursor where it is
  std::string hint;
  const int c = lexer_.peek();
  const std::string_view word = c == TurtleLexer::kEnd ? std::string_view{} : lexer_.word();
  if (c == '"' || c == '\'' || is_digit(c)) {
    hint = "a literal cannot be a subject";
  } else if (c == '{' || word == "GRAPH" || word == "graph") {
    hint = is_trig_ ? "is a '}' missing?" : "this looks like TriG: read it as TriG";
  } else if (c == '@' || word == "PREFIX" || word == "BASE") {
    hint = "declarations cannot stand inside a graph";
  } else if (!word.empty()) {
    hint = "a name needs a prefix, such as ex:name";
  }
  return lexer_.fail_expected(lexer_.at(), "a subject (an IRI or a blank node)", std::move(hint));
}

bool TurtleParser::fail_undeclared(const PrefixedName& name) {
  std::string hint = "declare it: @prefix NAME: <...> .";  // no words of the document in hints
  for (const KnownPrefix& known : kKnownPrefixes) {
    if (known.name == name.prefix) {
      hint = fmt::format("declare it: @prefix {}: <{}> .", known.name, known.iri);
    }
  }
  return lexer_.fail(lexer_.token_start(),
                     fmt::format("the prefix '{}:' is not declared", name.prefix), std::move(hint));
}

}  // namespace helve::rdf
