// Statements, graphs and lists. Terms are in turtle_terms.cc.
#include "sources/rdf/turtle_parser.h"

#include <fmt/format.h>

#include "sources/rdf/characters.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

bool equal_ignoring_case(std::string_view word, std::string_view upper) {
  if (word.size() != upper.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((word[i] & ~0x20) != upper[i]) return false;
  }
  return true;
}

bool may_begin_statement(int c) {
  return c == '<' || c == '@' || c == '_' || c == ':' || c == '[' || (c > 0 && is_letter(c));
}

}  // namespace

TurtleParser::TurtleParser(InputWindow& window, bool is_trig, const ReadOptions& options,
                           const OpContext& context, StatementSink& sink)
    : options_(options),
      context_(context),
      check_(context),
      sink_(sink),
      is_trig_(is_trig),
      prefixes_(context),
      labels_(options.blank_prefix),
      lexer_(window, options.document_name, context, texts_),
      saved_charge_(*context.memory, "nested statements") {
  if (options.base_iri.empty()) return;
  if (auto resolver = IriResolver::from_base(options.base_iri)) {
    resolver_ = *std::move(resolver);
  } else {
    bad_base_ = std::move(resolver).error();
  }
}

Result<ReadReport> TurtleParser::document() {
  if (bad_base_) return *bad_base_;
  while (true) {
    const int c = lexer_.peek();
    const std::uint64_t start = lexer_.offset();
    bool went_well = false;
    if (c != TurtleLexer::kEnd) {
      went_well = in_graph_ ? triples_block() : statement();
    } else if (!lexer_.has_failed()) {
      if (!in_graph_) return std::move(report_);
      close_graph();
      lexer_.fail_expected(lexer_.at(), "'}' at the end of a graph");
    }
    if (!went_well) HELVE_TRY(recover(start));
  }
}

// Turtle: statement ::= directive | triples '.'
// TriG:   (directive | block), a block's braces being opened here and closed by triples_block().
bool TurtleParser::statement() {
  const int c = lexer_.peek();
  if (c == '@') return directive();
  if (c == '{' && is_trig_) return open_graph();
  const SubjectForm form = subject();
  if (form == SubjectForm::Failed) return !lexer_.has_failed() && keyword();
  if (is_trig_ && form == SubjectForm::Label && lexer_.peek() == '{') return wrapped_graph();
  return triples(form) && triples_end();
}

bool TurtleParser::directive() {
  const std::string_view word = lexer_.word(1);
  if (word == "prefix") {
    lexer_.pass_word(word, 1);
    return prefix_declaration(true);
  }
  if (word == "base") {
    lexer_.pass_word(word, 1);
    return base_declaration(true);
  }
  const bool has_wrong_case =
      equal_ignoring_case(word, "PREFIX") || equal_ignoring_case(word, "BASE");
  return lexer_.fail_expected(
      lexer_.at(), "@prefix, @base or a statement",
      has_wrong_case ? "write it in lower case, or without '@' and without the final '.'" : "");
}

// PREFIX, BASE or GRAPH, in any case; no statement begins with another word.
bool TurtleParser::keyword() {
  const std::string_view word = lexer_.word();
  if (equal_ignoring_case(word, "PREFIX")) {
    lexer_.pass_word(word);
    return prefix_declaration(false);
  }
  if (equal_ignoring_case(word, "BASE")) {
    lexer_.pass_word(word);
    return base_declaration(false);
  }
  if (equal_ignoring_case(word, "GRAPH") && is_trig_) {
    lexer_.pass_word(word);
    return graph_keyword();
  }
  return fail_subject();
}

// prefixID and sparqlPrefix
bool TurtleParser::prefix_declaration(bool ends_with_dot) {
  PrefixedName name;
  if (lexer_.peek() == TurtleLexer::kEnd || !lexer_.prefixed_name(name)) {
    return lexer_.fail_expected(lexer_.at(), "a prefix such as ex: to declare");
  }
  if (!name.local.empty()) {
    return lexer_.fail(
        name.local.data(),
        fmt::format("expected only the prefix '{}:' in its declaration", name.prefix));
  }
  // The name must survive until the IRI is read.
  object_.copy(name.prefix);
  if (lexer_.peek() != '<') {
    return lexer_.fail_expected(lexer_.at(), "an IRI in '<' '>' after the prefix");
  }
  if (!iriref(predicate_)) return false;
  if (ends_with_dot && !lexer_.pass_if('.')) {
    return lexer_.fail_expected(lexer_.at(), "'.' at the end of @prefix");
  }
  if (auto declared = prefixes_.declare(object_.text, predicate_.text); !declared) {
    return lexer_.fail_fatally(std::move(declared).error());
  }
  sink_.prefix(object_.text, predicate_.text);
  return true;
}

// base and sparqlBase
bool TurtleParser::base_declaration(bool ends_with_dot) {
  if (lexer_.peek() != '<') {
    return lexer_.fail_expected(lexer_.at(), "an IRI in '<' '>' as the base");
  }
  if (!iriref(object_)) return false;
  if (ends_with_dot && !lexer_.pass_if('.')) {
    return lexer_.fail_expected(lexer_.at(), "'.' at the end of @base");
  }
  auto resolver = IriResolver::from_base(std::string(object_.text));
  if (!resolver) return lexer_.fail_fatally(std::move(resolver).error());
  resolver_ = *std::move(resolver);
  return true;
}

// "GRAPH" labelOrSubject wrappedGraph
bool TurtleParser::graph_keyword() {
  if (lexer_.peek() == '(' || subject() != SubjectForm::Label) {
    return lexer_.fail_expected(lexer_.at(), "an IRI or a blank node as the name of a graph");
  }
  if (lexer_.peek() != '{') {
    return lexer_.fail_expected(lexer_.at(), "'{' after the name of a graph");
  }
  return wrapped_graph();
}

// The subject turned out to be the name of a graph.
bool TurtleParser::wrapped_graph() {
  graph_.copy(subject_.text);
  graph_kind_ = subject_kind_;
  return open_graph();
}

bool TurtleParser::open_graph() {
  lexer_.pass();
  in_graph_ = true;
  return true;
}

void TurtleParser::close_graph() {
  in_graph_ = false;
  graph_.text = {};
  graph_kind_ = TermKind::Iri;
}

// One step of triplesBlock ::= triples ('.' triplesBlock?)?, or the end of the graph.
bool TurtleParser::triples_block() {
  if (lexer_.pass_if('}')) {
    close_graph();
    return true;
  }
  const SubjectForm form = subject();
  if (form == SubjectForm::Failed) return fail_subject();
  return triples(form) && triples_end();
}

// triples ::= subject predicateObjectList | blankNodePropertyList predicateObjectList?
bool TurtleParser::triples(SubjectForm subject_form) {
  if (subject_form == SubjectForm::PropertyList) {
    const int c = lexer_.peek();
    if (c == '.' || (c == '}' && in_graph_)) return true;
  }
  return predicate_object_list();
}

bool TurtleParser::triples_end() {
  if (lexer_.pass_if('.')) return true;
  const int c = lexer_.peek();
  if (in_graph_ && c == '}') return true;
  std::string hint;
  if (may_begin_statement(c)) hint = "is a '.' missing before it?";
  if (c == '{' && !is_trig_) hint = "this looks like TriG: read it as TriG";
  return lexer_.fail_expected(
      lexer_.at(),
      in_graph_ ? "'.', ';', ',' or '}' after the object" : "'.', ';' or ',' after the object",
      std::move(hint));
}

// predicateObjectList ::= verb objectList (';' (verb objectList)?)*
bool TurtleParser::predicate_object_list() {
  while (true) {
    if (!verb() || !object_list()) return false;
    if (!lexer_.pass_if(';')) return !lexer_.has_failed();
    while (lexer_.pass_if(';')) {
    }
    const int c = lexer_.peek();
    if (c == '.' || c == ']' || c == '}') return true;
  }
}

// objectList ::= object (',' object)*
bool TurtleParser::object_list() {
  do {
    if (!object()) return false;
  } while (lexer_.pass_if(','));
  return true;
}

// subject ::= iri | BlankNode | collection, and blankNodePropertyList. Failed without an error: a
// word or something else that no subject begins with.
TurtleParser::SubjectForm TurtleParser::subject() {
  const auto label_if = [](bool went_well) {
    return went_well ? SubjectForm::Label : SubjectForm::Failed;
  };
  subject_kind_ = TermKind::Iri;
  switch (lexer_.peek()) {
    case TurtleLexer::kEnd:
      return SubjectForm::Failed;
    case '<':
      return label_if(iriref(subject_));
    case '_':
      subject_kind_ = TermKind::BlankNode;
      return label_if(blank_node_label(subject_));
    case '[':
      return bracketed_subject();
    case '(':
      return collection_subject();
    default:
      PrefixedName name;
      return label_if(lexer_.prefixed_name(name) && prefixed_name(name, subject_));
  }
}

// ANON or blankNodePropertyList
TurtleParser::SubjectForm TurtleParser::bracketed_subject() {
  fresh_blank_node(subject_);
  subject_kind_ = TermKind::BlankNode;
  predicate_.text = {};
  if (!enter()) return SubjectForm::Failed;
  lexer_.pass();
  const bool is_anon = lexer_.pass_if(']');
  if (!is_anon && !property_list_until_bracket()) return SubjectForm::Failed;
  leave();
  return is_anon ? SubjectForm::Label : SubjectForm::PropertyList;
}

TurtleParser::SubjectForm TurtleParser::collection_subject() {
  fresh_blank_node(subject_);
  subject_kind_ = TermKind::BlankNode;
  predicate_.text = {};
  if (!enter()) return SubjectForm::Failed;
  lexer_.pass();
  const bool is_empty = lexer_.pass_if(')');
  if (!is_empty && !collection_items()) return SubjectForm::Failed;
  leave();
  if (is_empty) {
    subject_.text = kRdfNil;
    subject_kind_ = TermKind::Iri;
  }
  return SubjectForm::Collection;
}

// verb ::= predicate | 'a'
bool TurtleParser::verb() {
  switch (lexer_.peek()) {
    case TurtleLexer::kEnd:
      return fail_verb();
    case '<':
      return iriref(predicate_);
    default:
      PrefixedName name;
      if (lexer_.prefixed_name(name)) return prefixed_name(name, predicate_);
      const std::string_view word = lexer_.word();
      if (word != "a") return fail_verb();
      lexer_.pass_word(word);
      predicate_.text = kRdfType;
      return true;
  }
}

// object ::= iri | BlankNode | collection | blankNodePropertyList | literal, and delivers the
// triple.
bool TurtleParser::object() {
  switch (lexer_.peek()) {
    case '<':
      object_kind_ = TermKind::Iri;
      return iriref(object_) && emit();
    case '"':
    case '\'':
      return rdf_literal() && emit();
    case '_':
      object_kind_ = TermKind::BlankNode;
      return blank_node_label(object_) && emit();
    case '[':
      return bracketed_object();
    case '(':
      return collection_object();
    case '+':
    case '-':
    case '.':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return numeric_literal() && emit();
    case TurtleLexer::kEnd:
      return fail_object();
    default:
      return name_or_boolean_literal() && emit();
  }
}

bool TurtleParser::bracketed_object() {
  fresh_blank_node(object_);
  object_kind_ = TermKind::BlankNode;
  if (!emit() || !enter()) return false;
  lexer_.pass();
  if (!lexer_.pass_if(']')) {
    subject_.copy(object_.text);
    subject_kind_ = TermKind::BlankNode;
    if (!property_list_until_bracket()) return false;
  }
  leave();
  return true;
}

bool TurtleParser::property_list_until_bracket() {
  if (!predicate_object_list()) return false;
  if (lexer_.pass_if(']')) return true;
  return lexer_.fail_expected(lexer_.at(), "']', ';' or ',' after the object");
}

bool TurtleParser::collection_object() {
  if (!enter()) return false;
  lexer_.pass();
  if (lexer_.pass_if(')')) {
    leave();
    object_.text = kRdfNil;
    object_kind_ = TermKind::Iri;
    return emit();
  }
  fresh_blank_node(object_);
  object_kind_ = TermKind::BlankNode;
  if (!emit()) return false;
  subject_.copy(object_.text);
  subject_kind_ = TermKind::BlankNode;
  if (!collection_items()) return false;
  leave();
  return true;
}

// The rest of a collection, whose first node is the subject.
bool TurtleParser::collection_items() {
  while (true) {
    predicate_.text = kRdfFirst;
    if (!object()) return false;
    const bool is_last = lexer_.pass_if(')');
    predicate_.text = kRdfRest;
    object_kind_ = is_last ? TermKind::Iri : TermKind::BlankNode;
    if (is_last) {
      object_.text = kRdfNil;
      return emit();
    }
    if (lexer_.peek() == TurtleLexer::kEnd) {
      return lexer_.fail_expected(lexer_.at(), "')' at the end of a collection");
    }
    fresh_blank_node(object_);
    if (!emit()) return false;
    subject_.copy(object_.text);
  }
}

// At a bracket: saves the subject and predicate while the list inside has its own.
bool TurtleParser::enter() {
  if (saved_.size() >= context_.limits.nesting_max) {
    return lexer_.fail_limit(lexer_.at(), fmt::format("brackets are nested more than {} deep",
                                                      context_.limits.nesting_max));
  }
  saved_.push_back({subject_kind_, subject_.text.size(), predicate_.text.size()});
  saved_text_ += subject_.text;
  saved_text_ += predicate_.text;
  if (saved_text_.capacity() > saved_charge_.bytes()) {
    if (auto charged = saved_charge_.resize(saved_text_.capacity()); !charged) {
      return lexer_.fail_fatally(std::move(charged).error());
    }
  }
  return true;
}

void TurtleParser::leave() {
  const SavedTerms saved = saved_.back();
  saved_.pop_back();
  const std::size_t start = saved_text_.size() - saved.subject_bytes - saved.predicate_bytes;
  const std::string_view texts = std::string_view(saved_text_).substr(start);
  subject_.copy(texts.substr(0, saved.subject_bytes));
  predicate_.copy(texts.substr(saved.subject_bytes));
  subject_kind_ = saved.subject_kind;
  saved_text_.resize(start);
}

bool TurtleParser::emit() {
  StatementView statement;
  statement.subject = {subject_kind_, Direction::None, subject_.text, {}, {}};
  statement.predicate = TermView::iri(predicate_.text);
  statement.object = {object_kind_, Direction::None, object_.text, {}, {}};
  if (object_kind_ == TermKind::Literal) {
    statement.object.datatype = datatype_.text;
    statement.object.language = language_.text;
  }
  statement.graph = {graph_kind_, Direction::None, graph_.text, {}, {}};
  if (auto taken = sink_.statement(statement); !taken) {
    return lexer_.fail_fatally(std::move(taken).error());
  }
  ++report_.statements;
  auto checked = check_.add(statement.size_bytes());
  return checked ? true : lexer_.fail_fatally(std::move(checked).error());
}

}  // namespace helve::rdf
