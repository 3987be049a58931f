// Parser: recursive descent over the grammar of SPARQL 1.1, for parser.cc alone. Functions bear the
// names of the productions. The first error sticks, and from then on every token is the end of the
// text: loops end, and what the productions still return is dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/iri.h"
#include "sources/sparql/algebra/functions.h"
#include "sources/sparql/algebra/lexer.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::sparql {

using Scope = std::set<std::string, std::less<>>;  // names of variables
using Triples = std::vector<TriplePattern>;
using VarOrIri = std::variant<Variable, Constant>;

// Sets a member for as long as a production runs.
template <typename T>
class ScopedValue {
 public:
  ScopedValue(T& place, T value) : place_(place), old_(std::exchange(place, std::move(value))) {}
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;
  ~ScopedValue() { place_ = std::move(old_); }

 private:
  T& place_;
  T old_;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options);

  Result<ParsedQuery> query_unit();
  Result<ParsedUpdate> update_unit();

 private:
  // What stands between braces. The FILTERs stay apart for OPTIONAL, whose conditions they are.
  struct Group {
    Pattern pattern;
    std::vector<Expression> filters;
    Scope scope;
    std::size_t depth = 1;         // of the pattern
    std::size_t filter_depth = 0;  // of the deepest filter
    SourceSpan span;
  };
  // What triples may hold where they stand.
  struct TripleRules {
    std::string_view place = "a pattern";
    bool has_paths = true;
    bool has_variables = true;
    bool has_blank_nodes = true;
    bool is_pattern = true;
    bool is_data = false;
  };
  using ItemNames = std::map<std::string, bool>;  // of SELECT; true: has an expression
  enum class Aggregates : std::uint8_t { Forbidden, Allowed, Inside };
  class Nested {
   public:
    explicit Nested(Parser& parser);
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --parser_.nesting_; }

   private:
    Parser& parser_;
  };

  // Tokens (parser_state.cc).
  bool check_text();
  void advance();
  Token take();
  const Token& peek();  // the token behind the current one
  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at_word(std::string_view keyword) const { return is_word(token_, keyword); }
  static bool is_word(const Token& token, std::string_view keyword);
  bool take_if(TokenKind kind);
  bool take_word(std::string_view keyword);
  bool expect(TokenKind kind, std::string_view expected, std::string hint = {});
  bool is_next_to(const Token& left, const Token& right) const {
    return left.span.end == right.span.begin;
  }
  bool at_signed_number();
  SourceSpan span_from(std::uint32_t begin) const { return {begin, std::max(begin, last_end_)}; }
  std::string_view source(SourceSpan span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  // The source on one line, in at most `width` columns, harmless.
  std::string excerpt(SourceSpan span, std::size_t width = 40) const;

  // Errors and limits (parser_state.cc).
  bool failed() const { return error_.has_value(); }
  void fail_at(std::uint32_t offset, std::string message, std::string hint = {},
               ErrorCode code = ErrorCode::InvalidInput);
  void fail_here(std::string message, std::string hint = {});
  void fail_expected(std::string_view expected, std::string hint = {});
  std::string describe(const Token& token) const;
  void note(SourceSpan span, std::string text, ParseNote::Kind kind = ParseNote::Kind::Other);
  void count_parts(std::size_t count = 1);
  void charge(std::size_t bytes);
  void raise_depth(std::size_t deepest_child);  // sets depth_
  TextPosition position(std::uint32_t offset) const { return position_at(text_, offset); }

  // Prologue and prefixes (parse_prologue.cc).
  void prologue();
  void base_decl();
  void prefix_decl();
  void version_decl();
  const std::string* prefix_iri(std::string_view name, const Token& token);
  void fail_behind_sub_select(const Token& open);
  bool fail_near_exists();
  void fail_unknown_prefix(std::string_view name, const Token& token);
  bool fail_bare_iri(const Token& token);
  void note_bracketed_name(const Token& token);
  std::vector<std::pair<std::string, std::string>> take_prefixes();

  // Terms (parse_terms.cc).
  bool at_iri() const { return at(TokenKind::IriRef) || at(TokenKind::PrefixedName); }
  bool at_term();
  std::string iri(std::string_view expected);
  std::string resolve(const Token& token);
  std::string prefixed_name(const Token& token);
  std::string name_of(const Token& token);
  Variable var(std::string_view expected = "a variable such as ?x");
  VarOrIri var_or_iri(std::string_view expected);
  Constant literal();
  Constant rdf_literal();
  Constant numeric_literal();
  std::string string_value();
  TermPattern var_or_term();
  BlankNode blank_node_label();
  BlankNode fresh_blank_node(SourceSpan span);
  bool check_blank_node(SourceSpan span);
  bool check_variable(const Token& token);
  void fail_in_term();
  void fail_bare_word();
  bool fail_open_iri();
  bool fail_triple_term();

  // Triples (parse_triples.cc).
  void triples_same_subject(Triples& out);
  void triples_template(Triples& out);
  void property_list(Triples& out, const TermPattern& subject, std::uint32_t begin);
  void object_list(Triples& out, const TermPattern& subject, const PredicatePattern& predicate,
                   std::uint32_t begin);
  void object(Triples& out, const TermPattern& subject, const PredicatePattern& predicate,
              std::uint32_t begin);
  PredicatePattern verb();
  bool at_verb();
  bool at_node() const { return at(TokenKind::LeftBracket) || at(TokenKind::LeftParenthesis); }
  bool at_empty_node();  // [] or ()
  TermPattern empty_node();
  // Of '[' or '(': the node that stands for it, then its triples.
  BlankNode open_node();
  void finish_node(Triples& out, const BlankNode& head, const Token& open);
  void collection(Triples& out, const BlankNode& head, const Token& open);
  void push_triple(Triples& out, const TermPattern& subject, const PredicatePattern& predicate,
                   const TermPattern& object_term, SourceSpan span);
  void fail_after_triple();
  void fail_in_verb();

  // Paths (parse_paths.cc).
  Path path();
  Path path_sequence();
  Path path_elt_or_inverse();
  Path path_elt();
  Path path_primary();
  Path path_negated_property_set();
  Path path_one_in_property_set();
  Path iri_path();

  // Expressions (parse_expression.cc, parse_functions.cc). Each leaves the depth in depth_.
  Expression expression() { return conditional_or_expression(); }
  Expression conditional_or_expression();
  Expression conditional_and_expression();
  Expression relational_expression();
  Expression additive_expression();
  Expression multiplicative_expression();
  Expression unary_expression();
  Expression primary_expression();
  Expression bracketted_expression();
  Expression operation(Function function, std::vector<Expression> arguments, std::size_t deepest,
                       std::uint32_t begin);
  Expression chain(TokenKind sign, Function function, Expression (Parser::*operand)());
  Expression in_list(Expression value, std::size_t depth, std::uint32_t begin);
  Expression constant(Constant term);
  void fail_in_operand();
  void fail_behind_operand();

  bool at_built_in_call();
  Expression built_in_call();
  Expression function_call(Function function);
  Expression aggregate(AggregateKind kind);
  void separator(Aggregate& aggregate);
  Expression exists();
  Expression iri_or_function();
  std::vector<Expression> arg_list(std::size_t& deepest, std::string_view function);
  void close_arguments(std::string_view function);
  void check_arity(const FunctionInfo& info, std::size_t count, const Token& name);
  void fail_unknown_function();

  // Patterns (parse_pattern.cc).
  Group group_graph_pattern(std::string_view before, std::string hint = {});
  void group_graph_pattern_sub(Group& group, const Token& open);
  void graph_pattern_not_triples(Group& group);
  void end_triples(Group& group, Triples& triples);
  void optional_graph_pattern(Group& group);
  void minus_graph_pattern(Group& group);
  void group_or_union_graph_pattern(Group& group);
  void graph_graph_pattern(Group& group);
  void service_graph_pattern(Group& group);
  void bind(Group& group);
  std::string bind_form(const Expression& value) const;
  void filter(Group& group);
  void join(Group& group, Pattern part, std::size_t depth);
  Pattern wrap(Group& inner);  // the FILTERs around the pattern; its depth in depth_
  Values data_block();
  void data_block_row(Values& values);
  std::optional<rdf::Term> data_block_value();
  Expression constraint(std::string_view keyword);
  void close_group(const Token& open);
  void fail_in_group(const Token& open);
  void fail_word_in_group();
  void fail_modifier_in_group();
  bool fail_name_character();
  bool fail_foreign_comment();

  // Queries (parse_query.cc, parse_modifiers.cc).
  void select_query(Query& query);
  void construct_query(Query& query);
  void describe_query(Query& query);
  void ask_query(Query& query);
  Select select_clause();
  void select_item(Select& select, ItemNames& names);
  void add_item(Select& select, SelectItem item, ItemNames& names);
  Scope select_rest(Select& select);  // WHERE and what follows; the variables it gives
  Select sub_select(Scope& scope);
  void dataset_clauses(Query& query);
  Scope where_clause(Body& body);
  void solution_modifier(Body& body, const Scope& scope);
  void group_clause(Body& body, const Scope& scope);
  void group_condition(Body& body, const Scope& scope);
  void having_clause(Body& body);
  void order_clause(Body& body);
  bool order_condition(Body& body);
  void limit_offset_clauses(Body& body);
  std::uint64_t row_count(std::string_view keyword);
  void values_clause(Body& body, Scope& scope);
  void expect_end();
  void fail_in_select(const Select& select);
  std::string named_call() const;
  bool near_word(std::string_view keyword) const;
  bool fail_markdown_fence();
  void fail_word_at_start(std::string_view forms, bool wants_query);
  void fail_word_behind_query();
  void fail_at_start(bool wants_query);
  void fail_behind_query();

  // Grouping (parser_checks.cc).
  void check_select(const Select& select, const Scope& scope);
  void check_body(const Body& body);
  void check_grouped(const Select& select);
  void check_group_modifiers(const Body& body, const std::vector<SelectItem>& items,
                             const Scope& grouped, const Scope& names);
  void fail_ungrouped(const Variable& variable, std::string_view clause, bool has_group_by);

  // Updates (parse_update.cc).
  bool update1(Update& update);
  UpdateOperation::Node load();
  UpdateOperation::Node manage_graph(ManageGraph::Verb verb);
  UpdateOperation::Node transfer_graph(TransferGraph::Verb verb);
  UpdateOperation::Node insert_operation();
  UpdateOperation::Node delete_operation();
  UpdateOperation::Node modify(Modify update);
  std::vector<QuadTemplate> quads(const TripleRules& rules);
  void quads_not_triples(std::vector<QuadTemplate>& out);
  GraphTarget graph_ref(std::string_view expected);
  GraphTarget graph_ref_all();
  GraphTarget graph_or_default();

  std::string_view text_;
  const ParseOptions& options_;
  const Limits& limits_;
  Lexer lexer_;
  Token token_;
  std::optional<Token> peeked_;
  std::uint32_t last_end_ = 0;  // of the last token taken
  Token last_;
  std::deque<std::string> decoded_words_;
  std::optional<Error> error_;
  std::vector<ParseNote> notes_;

  Version version_;
  IriResolver resolver_;
  std::map<std::string, std::string, std::less<>> prefixes_;

  std::size_t nesting_ = 0;
  std::size_t parts_ = 0;
  std::size_t copied_bytes_ = 0;
  std::size_t depth_ = 0;  // of what was last built

  TripleRules rules_;
  std::size_t bgp_ = 0;  // the basic graph pattern that triples now go to
  std::size_t bgp_count_ = 0;
  std::map<std::string, std::size_t, std::less<>> label_bgps_;
  std::map<std::string, std::size_t, std::less<>> label_operations_;
  std::size_t operation_ = 0;
  std::optional<std::set<std::string>> written_labels_;
  std::size_t fresh_labels_ = 0;

  Aggregates aggregates_ = Aggregates::Forbidden;
  std::string_view aggregate_place_;  // where they are forbidden
  std::vector<Token> open_groups_;
};

}  // namespace helve::sparql
