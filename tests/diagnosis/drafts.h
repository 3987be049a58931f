// Correct queries made by walking the statements of a graph. broken_queries.h spoils them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sources/graph_source.h"

namespace helve::testing {

struct Statement {
  rdf::Term subject;
  std::string predicate;
  rdf::Term object;
};

// All statements of a graph, in an order that does not depend on how it is stored.
struct GraphSample {
  std::string name;
  std::shared_ptr<const GraphSource> source;
  std::vector<Statement> statements;
  std::map<std::string, std::vector<std::size_t>> of_subject;  // IRIs only
  std::map<std::string, std::vector<std::size_t>> of_predicate;
  std::map<std::string, std::vector<std::string>> types;      // of a subject
  std::map<std::string, std::vector<std::string>> instances;  // of a class
  std::vector<std::string> graphs;                            // named ones

  bool is_empty() const { return statements.empty(); }
};
GraphSample sample_of(std::string name, std::shared_ptr<const GraphSource> source);

// A variable, or a term.
struct DraftNode {
  std::string variable;
  rdf::Term term;

  bool is_variable() const { return !variable.empty(); }
};

struct DraftTriple {
  DraftNode subject;
  std::string predicate;
  DraftNode object;
  rdf::Term object_seen;  // of the statement that it was made from
};

struct DraftText {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> triples;  // where each stands
  std::vector<std::pair<std::size_t, std::size_t>> filters;
  std::pair<std::size_t, std::size_t> dataset{0, 0};  // GRAPH <g> or FROM <g>
};

struct Draft {
  std::vector<DraftTriple> triples;
  std::vector<std::string> filters;
  std::string graph;     // as SPARQL: "<g>" or "?g"; empty: none
  std::string from;      // an IRI
  std::string optional;  // what is inside
  bool is_count = false;
  // Around the triples: "" or "{ SELECT * WHERE {" and the like.
  std::string before;
  std::string after;

  DraftText text() const;
};

std::string as_sparql(const DraftNode& node);
std::string as_sparql(const rdf::Term& term);

using Random = std::mt19937;
template <typename T>
const T& any_of(const std::vector<T>& list, Random& random) {
  return list[random() % list.size()];
}

// Rows the query gives, counted to 10; errors count as none.
std::uint64_t rows_of(const GraphSample& sample, const std::string& query);

// Correct queries: each gives rows. At most `count`.
std::vector<Draft> make_drafts(const GraphSample& sample, std::size_t count, Random& random);

}  // namespace helve::testing
