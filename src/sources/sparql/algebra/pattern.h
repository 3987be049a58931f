// Graph patterns: the algebra of SPARQL as a value type.
// https://www.w3.org/TR/sparql11-query/#sparqlAlgebra
//
// The tree is that of the specification's translation, with these differences: Join and Union have
// any number of parts, paths stay whole inside a basic graph pattern, conditions stay apart as they
// were written, and the empty pattern joined with something is that something. The solution
// modifiers of a sub-query stay together in Select (query.h), with aggregates where they were
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sources/rdf/term.h"
#include "sources/sparql/algebra/box.h"
#include "sources/sparql/algebra/expression.h"
#include "sources/sparql/algebra/source_span.h"

namespace helve::sparql {

struct Pattern;
struct Select;

// A blank node of a pattern: a variable that no one can name, local to its basic graph pattern.
// In a template: a fresh node for each solution.
struct BlankNode {
  std::string label;  // without "_:"; those of [] and () are made up by the parser
  SourceSpan span;

  friend bool operator==(const BlankNode&, const BlankNode&) = default;
};

using TermPattern = std::variant<Variable, BlankNode, Constant>;

// https://www.w3.org/TR/sparql11-query/#propertypaths
struct Path {
  enum class Kind : std::uint8_t {
    Iri,          // iri
    Inverse,      // one part
    Sequence,     // two or more
    Alternative,  // two or more
    ZeroOrMore,   // one
    OneOrMore,    // one
    ZeroOrOne,    // one
    NegatedSet,   // any number of Iri or Inverse of Iri
  };
  Kind kind = Kind::Iri;
  std::string iri;
  std::vector<Path> parts;
  SourceSpan span;
};

// A predicate that is a single IRI is a Constant, never a Path.
using PredicatePattern = std::variant<Variable, Constant, Path>;

struct TriplePattern {
  TermPattern subject;
  PredicatePattern predicate;
  TermPattern object;
  SourceSpan span;
};

// Triples and paths in the order they were written. None: the pattern with one empty solution.
struct BasicGraphPattern {
  std::vector<TriplePattern> triples;
};

struct Join {
  std::vector<Pattern> parts;  // two or more; none of them a Join
};

// OPTIONAL. The conditions are the FILTERs directly inside it, which see both sides.
struct LeftJoin {
  Box<Pattern> left;
  Box<Pattern> right;
  std::vector<Expression> conditions;
};

struct Union {
  std::vector<Pattern> parts;  // two or more
};

struct Minus {
  Box<Pattern> left;
  Box<Pattern> right;
};

struct Filter {
  Box<Pattern> inner;
  std::vector<Expression> conditions;  // one or more
};

// BIND.
struct Extend {
  Box<Pattern> inner;
  Variable variable;
  Box<Expression> expression;
};

struct Values {
  std::vector<Variable> variables;
  std::vector<std::vector<std::optional<rdf::Term>>> rows;  // nullopt: UNDEF
  SourceSpan span;
};

struct Graph {
  std::variant<Variable, Constant> name;
  Box<Pattern> inner;
};

struct Service {
  std::variant<Variable, Constant> endpoint;
  bool is_silent = false;
  Box<Pattern> inner;
};

struct SubSelect {
  Box<Select> select;

  // Defined where Select is complete.
  explicit SubSelect(Select inner);
  SubSelect(const SubSelect&);
  SubSelect(SubSelect&&) noexcept;
  SubSelect& operator=(const SubSelect&);
  SubSelect& operator=(SubSelect&&) noexcept;
  ~SubSelect();
};

struct Pattern {
  using Node = std::variant<BasicGraphPattern, Join, LeftJoin, Union, Minus, Filter, Extend, Values,
                            Graph, Service, SubSelect>;

  Node node;
  SourceSpan span;

  Pattern() = default;                                // the empty one
  Pattern(Node pattern_node, SourceSpan source = {})  // NOLINT(google-explicit-constructor)
      : node(std::move(pattern_node)), span(source) {}
  template <typename T>
  const T* if_is() const {
    return std::get_if<T>(&node);
  }
  // One empty solution, whatever the data.
  bool is_unit() const {
    const auto* triples = if_is<BasicGraphPattern>();
    return triples != nullptr && triples->triples.empty();
  }
};

bool operator==(const Path& a, const Path& b);
bool operator==(const TriplePattern& a, const TriplePattern& b);
bool operator==(const BasicGraphPattern& a, const BasicGraphPattern& b);
bool operator==(const Join& a, const Join& b);
bool operator==(const LeftJoin& a, const LeftJoin& b);
bool operator==(const Union& a, const Union& b);
bool operator==(const Minus& a, const Minus& b);
bool operator==(const Filter& a, const Filter& b);
bool operator==(const Extend& a, const Extend& b);
bool operator==(const Values& a, const Values& b);
bool operator==(const Graph& a, const Graph& b);
bool operator==(const Service& a, const Service& b);
bool operator==(const SubSelect& a, const SubSelect& b);
bool operator==(const Pattern& a, const Pattern& b);

}  // namespace helve::sparql
