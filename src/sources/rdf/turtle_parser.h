// TurtleParser: the productions of Turtle and TriG, by the grammar's names.
// https://www.w3.org/TR/turtle/#sec-grammar-grammar, https://www.w3.org/TR/trig/#sec-grammar
// Neighbours: turtle_lexer.h (terminals), turtle_recovery.cc (going on after an error).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/iri.h"
#include "base/paced_check.h"
#include "sources/rdf/blank_labels.h"
#include "sources/rdf/reader.h"
#include "sources/rdf/turtle_lexer.h"
#include "sources/rdf/turtle_prefixes.h"

namespace helve::rdf {

// One per document. Every production returns false once the lexer holds an error. Triples are
// delivered as soon as their object is known, so memory depends on the nesting alone.
class TurtleParser {
 public:
  TurtleParser(InputWindow& window, bool is_trig, const ReadOptions& options,
               const OpContext& context, StatementSink& sink);

  // turtleDoc or trigDoc.
  Result<ReadReport> document();

 private:
  enum class SubjectForm : std::uint8_t { Failed, Label, Collection, PropertyList };

  // The subject and predicate around a nested list, kept in saved_text_.
  struct SavedTerms {
    TermKind subject_kind;
    std::size_t subject_bytes;
    std::size_t predicate_bytes;
  };

  // Statements (turtle_parser.cc).
  bool statement();
  bool directive();
  bool keyword();
  bool prefix_declaration(bool ends_with_dot);
  bool base_declaration(bool ends_with_dot);
  bool graph_keyword();
  bool wrapped_graph();
  bool open_graph();
  void close_graph();
  bool triples_block();
  bool triples(SubjectForm subject_form);
  bool triples_end();
  bool predicate_object_list();
  bool object_list();
  SubjectForm subject();
  bool verb();
  bool object();
  SubjectForm bracketed_subject();
  SubjectForm collection_subject();
  bool bracketed_object();
  bool collection_object();
  bool property_list_until_bracket();
  bool collection_items();
  bool enter();
  void leave();
  bool emit();

  // Terms (turtle_terms.cc).
  bool iri(HeldText& out, std::string_view expected);
  bool iriref(HeldText& out);
  bool prefixed_name(const PrefixedName& name, HeldText& out);
  bool blank_node_label(HeldText& out);
  void fresh_blank_node(HeldText& out);
  bool rdf_literal();
  bool datatype();
  bool numeric_literal();
  bool name_or_boolean_literal();
  bool fail_verb();
  bool fail_object();
  bool fail_subject();
  bool fail_undeclared(const PrefixedName& name);

  // Going on (turtle_recovery.cc).
  Result<void> recover(std::uint64_t statement_start);
  void skip_to_next_statement(std::uint64_t statement_start);
  void skip_open_string(std::string_view quotes);
  void skip_string();
  void skip_iri();
  void skip_comment();
  void skip_past_graph();
  bool skip_dot();
  bool at_statement_start();

  const ReadOptions& options_;
  const OpContext& context_;
  PacedCheck check_;
  StatementSink& sink_;
  const bool is_trig_;
  ReadReport report_;
  IriResolver resolver_;
  std::optional<Error> bad_base_;
  TurtlePrefixes prefixes_;
  BlankLabels labels_;
  bool in_graph_ = false;

  std::array<HeldText, 6> texts_;
  HeldText& subject_ = texts_[0];
  HeldText& predicate_ = texts_[1];
  HeldText& object_ = texts_[2];
  HeldText& datatype_ = texts_[3];
  HeldText& language_ = texts_[4];
  HeldText& graph_ = texts_[5];
  TermKind subject_kind_ = TermKind::Iri;
  TermKind object_kind_ = TermKind::Iri;
  TermKind graph_kind_ = TermKind::Iri;

  TurtleLexer lexer_;
  std::vector<SavedTerms> saved_;
  std::string saved_text_;
  MemoryCharge saved_charge_;
  std::string scratch_;
};

}  // namespace helve::rdf
