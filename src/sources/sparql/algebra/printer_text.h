// SparqlText: a SPARQL text that grows. Behind printer.h; what the methods append is in
// printer_terms.cc, printer_expressions.cc, printer_patterns.cc and printer.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sources/rdf/prefix_map.h"
#include "sources/rdf/term.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/algebra/update.h"

namespace helve::sparql {

class SparqlText {
 public:
  enum class Layout : std::uint8_t { Lines, OneLine };

  explicit SparqlText(const PrefixList& prefixes, Layout layout = Layout::Lines);

  // Terms.
  void iri(std::string_view iri);
  void term(const rdf::TermView& term);
  void append(const Variable& variable);
  void append(const Constant& constant) { term(constant.term.view()); }
  void append(const BlankNode& blank);
  template <typename... Kinds>
  void append(const std::variant<Kinds...>& one_of) {
    std::visit([this](const auto& node) { this->append(node); }, one_of);
  }
  void append(const Path& path);
  void predicate(const PredicatePattern& predicate);
  void triple(const TriplePattern& triple);  // without a dot

  // Expressions.
  void append(const Expression& expression);
  // As FILTER, HAVING and ORDER BY want it: in parentheses unless it is a call.
  void constraint(const Expression& expression);
  void item(const SelectItem& item);
  void key(const GroupKey& key);
  void key(const OrderKey& key);

  // Patterns: with braces; as what stands between braces; as elements at the start of an open
  // group.
  void group(const Pattern& pattern);
  void group_content(const Pattern& pattern);
  void elements(const Pattern& pattern);
  void append(const Values& values);
  void cell(const std::optional<rdf::Term>& value);

  // Whole queries and what they are made of.
  void prologue(Version version, std::string_view base_iri, const PrefixList& prefixes);
  void append(const Query& query);
  void append(const Select& select, const std::vector<DatasetGraph>& dataset = {});
  void append(const Update& update);

  void newline();
  std::string take();  // and starts anew

 private:
  // How tightly an expression or a path binds: what binds less than its place needs parentheses.
  enum class Binding : std::uint8_t {
    Or,
    And,
    Relational,
    Additive,
    Multiplicative,
    Unary,
    Primary,
  };
  enum class PathBinding : std::uint8_t { Alternative, Sequence, Inverse, Modified, Primary };

  static Binding binding_of(Function function);
  static Binding binding_of(const Expression& expression);
  static bool is_call(const Expression& expression);
  static PathBinding binding_of(const Path& path);

  // Layout.
  void open_brace();
  void close_brace();
  void space_or_break();  // a line break where the line is long already

  // Terms.
  void path(const Path& path, PathBinding binding);
  void path_parts(const Path& path, char separator, PathBinding binding);
  void negated_set(const Path& path);
  void path_iri(std::string_view iri);

  // A block of triples: those with the same beginning share it.
  void start_triples() { last_triple_ = nullptr; }
  void next_triple(const TriplePattern& triple);
  void end_triples();

  // Expressions.
  void expression(const Expression& expression, Binding binding);
  void operation(const Operation& operation);
  void infix(const Operation& operation, Binding first, Binding others);
  void membership(const Operation& operation);
  void unary(const Operation& operation);
  void call_of(const Aggregate& aggregate);
  void list(const std::vector<Expression>& expressions);
  void named(const Expression& expression, const Variable& name);

  // Patterns, by kind, as elements.
  void add(const BasicGraphPattern& pattern);
  void add(const Join& join);
  void add(const LeftJoin& optional);
  void add(const Union& alternatives);
  void add(const Minus& minus);
  void add(const Filter& filter);
  void add(const Extend& extend);
  void add(const Values& values);
  void add(const Graph& graph);
  void add(const Service& service);
  void add(const SubSelect& sub);
  void start_element();
  void inline_or_group(const Pattern& pattern);
  void joined_part(const Pattern& part);
  void filters(const std::vector<Expression>& conditions);

  // Queries and updates.
  void body(const Body& body, const std::vector<DatasetGraph>& dataset, std::string_view keyword);
  void modifiers(const Body& body);
  void append(const Construct& form, const std::vector<DatasetGraph>& dataset);
  void append(const Ask& form, const std::vector<DatasetGraph>& dataset);
  void append(const Describe& form, const std::vector<DatasetGraph>& dataset);
  void dataset_clause(std::string_view keyword, const std::vector<DatasetGraph>& dataset);
  void quads(const std::vector<QuadTemplate>& quads);
  void target(const GraphTarget& target);
  void append(const InsertData& operation);
  void append(const DeleteData& operation);
  void append(const DeleteWhere& operation);
  void append(const Modify& operation);
  void append(const Load& operation);
  void append(const ManageGraph& operation);
  void append(const TransferGraph& operation);

  rdf::PrefixMap prefixes_;
  Layout layout_;
  std::string out_;
  std::size_t indent_ = 0;
  std::size_t line_begin_ = 0;
  const TriplePattern* last_triple_ = nullptr;
  // More triples right here would become part of the basic graph pattern before them.
  bool ends_in_triples_ = false;
};

}  // namespace helve::sparql
