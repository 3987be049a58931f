// A group of a query taken apart into the pieces a person would point at, and put together again
// without some of them. Diagnosis drops pieces until rows appear.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sources/graph_source.h"
#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

using GraphName = std::variant<sparql::Variable, sparql::Constant>;

// Where a pattern is asked: the FROM of the query and the GRAPH around the pattern.
struct Scope {
  QueryDataset dataset;
  std::optional<GraphName> graph;

  bool is_everything() const { return dataset.empty() && !graph; }
};
sparql::Pattern in_graph(sparql::Pattern pattern, const std::optional<GraphName>& graph);
sparql::Pattern joined(sparql::Pattern a, sparql::Pattern b);
sparql::Pattern pattern_of(sparql::TriplePattern triple);

struct Part {
  enum class Kind : std::uint8_t {
    Triple,  // or a path
    Values,  // or BIND of a constant
    Union,
    Group,  // braces, or GRAPH with more than triples inside
    SubSelect,
    Service,
    Optional,
    Bind,
    Minus,
    Filter,
  };
  Kind kind = Kind::Triple;
  sparql::Pattern
      pattern;  // what it matches; of OPTIONAL and MINUS what is inside; of BIND nothing
  std::vector<sparql::Expression> conditions;  // of OPTIONAL any, of BIND and FILTER one
  std::string bound;                           // the variable of BIND
  std::optional<GraphName> graph;              // the GRAPH around a triple
  std::string text;                            // as SPARQL
  sparql::SourceSpan span;
  std::set<std::string> variables;
  // Where it stands in the query; null where it was made from more or less than one of these. What
  // `pattern` is a copy of, for all kinds but Triple and BIND.
  const sparql::Pattern* pattern_in_query = nullptr;
  const sparql::TriplePattern* triple_in_query = nullptr;
  const sparql::Expression* expression_in_query = nullptr;

  // It has solutions by itself and joins with others.
  bool is_required() const { return kind <= Kind::Service; }
  // It takes solutions away.
  bool removes() const { return kind == Kind::Minus || kind == Kind::Filter; }
  // Of a Triple.
  const sparql::TriplePattern& triple() const;
  // Of a Triple.
  sparql::TriplePattern& triple();
};

// In the order of the text, filters last. Blank nodes become variables, sequences of a path become
// steps with variables between them, a condition with && becomes several.
std::vector<Part> parts_of(const sparql::Pattern& group, const PrefixList& prefixes);

using PartSet = std::vector<std::size_t>;  // indexes, ascending

// The group with these parts only.
sparql::Pattern assembled(const std::vector<Part>& parts, const PartSet& chosen);
// Parts that share no variable with the others apart: each set in the order given.
std::vector<PartSet> connected(const std::vector<Part>& parts, const PartSet& chosen);
bool share_variable(const Part& a, const Part& b);

}  // namespace helve::toolkit
