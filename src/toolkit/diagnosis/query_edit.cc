#include "toolkit/diagnosis/query_edit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sources/sparql/algebra/analysis.h"
#include "toolkit/diagnosis/group_parts.h"

namespace helve::toolkit {

namespace {

using sparql::Expression;
using sparql::Pattern;
using sparql::Query;

// Nodes of a copy that we own; the walk itself is read-only.
std::vector<Pattern*> patterns_of(Query& query) {
  std::vector<Pattern*> out;
  for_each_pattern(query.body().where,
                   [&](const Pattern& node) { out.push_back(const_cast<Pattern*>(&node)); });
  return out;
}

std::vector<Expression*> expressions_of(Query& query) {
  std::vector<Expression*> out;
  for_each_expression(query.body().where, [&](const Expression& node) {
    out.push_back(const_cast<Expression*>(&node));
  });
  return out;
}

struct IriChange {
  std::string_view from;
  std::string_view to;

  void in(std::string& iri) const {
    if (iri == from) iri = to;
  }
  void in(rdf::Term& term) const {
    if (term.kind == rdf::TermKind::Iri) in(term.value);
    if (term.kind == rdf::TermKind::Literal) in(term.datatype);
  }
  void in(sparql::Variable&) const {}
  void in(sparql::BlankNode&) const {}
  void in(sparql::Constant& constant) const { in(constant.term); }
  void in(sparql::Path& path) const {
    in(path.iri);
    for (sparql::Path& part : path.parts) in(part);
  }
  template <typename... T>
  void in(std::variant<T...>& any) const {
    std::visit([&](auto& node) { this->in(node); }, any);
  }
  void in(sparql::Values& values) const {
    for (auto& row : values.rows) {
      for (auto& cell : row) {
        if (cell) in(*cell);
      }
    }
  }
  void in(Pattern& pattern) const {
    if (auto* triples = std::get_if<sparql::BasicGraphPattern>(&pattern.node)) {
      for (sparql::TriplePattern& triple : triples->triples) {
        in(triple.subject);
        in(triple.predicate);
        in(triple.object);
      }
    } else if (auto* values = std::get_if<sparql::Values>(&pattern.node)) {
      in(*values);
    } else if (auto* graph = std::get_if<sparql::Graph>(&pattern.node)) {
      in(graph->name);
    }
  }
};

}  // namespace

Query with_iri_replaced(const Query& query, std::string_view from, std::string_view to) {
  Query copy = query;
  const IriChange change{from, to};
  for (Pattern* pattern : patterns_of(copy)) change.in(*pattern);
  for (Expression* expression : expressions_of(copy)) {
    if (auto* constant = std::get_if<sparql::Constant>(&expression->node)) change.in(*constant);
    if (auto* call = std::get_if<sparql::Call>(&expression->node)) change.in(call->iri);
  }
  if (copy.body().values) change.in(*copy.body().values);
  for (sparql::DatasetGraph& graph : copy.dataset) change.in(graph.iri);
  if (auto* describe = std::get_if<sparql::Describe>(&copy.form)) {
    for (auto& target : describe->targets) change.in(target);
  }
  return copy;
}

Query with_triple(const Query& query, const sparql::TriplePattern* which,
                  const sparql::TriplePattern& replacement) {
  Query copy = query;
  // The same walk over both: what has the same number is the same node.
  std::size_t number = 0;
  std::size_t found = 0;
  for_each_pattern(query.body().where, [&](const Pattern& node) {
    const auto* triples = node.if_is<sparql::BasicGraphPattern>();
    for (std::size_t i = 0; triples != nullptr && i < triples->triples.size(); ++i) {
      ++number;
      if (&triples->triples[i] == which) found = number;
    }
  });
  number = 0;
  for (Pattern* pattern : patterns_of(copy)) {
    auto* triples = std::get_if<sparql::BasicGraphPattern>(&pattern->node);
    for (std::size_t i = 0; triples != nullptr && i < triples->triples.size(); ++i) {
      if (++number == found) triples->triples[i] = replacement;
    }
  }
  return copy;
}

Query with_expression(const Query& query, const Expression* which, const Expression& replacement) {
  Query copy = query;
  std::size_t number = 0;
  std::size_t found = 0;
  for_each_expression(query.body().where, [&](const Expression& node) {
    ++number;
    if (&node == which) found = number;
  });
  const std::vector<Expression*> nodes = expressions_of(copy);
  if (found > 0) *nodes[found - 1] = replacement;
  return copy;
}

Query with_term_in_values(const Query& query, const rdf::Term& from, const rdf::Term& to) {
  Query copy = query;
  const auto change = [&](sparql::Values& values) {
    for (auto& row : values.rows) {
      for (auto& cell : row) {
        if (cell == from) cell = to;
      }
    }
  };
  for (Pattern* pattern : patterns_of(copy)) {
    if (auto* values = std::get_if<sparql::Values>(&pattern->node)) change(*values);
  }
  if (copy.body().values) change(*copy.body().values);
  return copy;
}

Query without_dataset(const Query& query) {
  Query copy = query;
  copy.dataset.clear();
  return copy;
}

Query without_graphs(const Query& query) {
  Query copy = without_dataset(query);
  // Children first: a node that is replaced takes its own along.
  std::vector<Pattern*> nodes = patterns_of(copy);
  std::reverse(nodes.begin(), nodes.end());
  for (Pattern* node : nodes) {
    if (auto* graph = std::get_if<sparql::Graph>(&node->node)) {
      Pattern inner = std::move(*graph->inner);
      *node = std::move(inner);
    } else if (auto* join = std::get_if<sparql::Join>(&node->node)) {
      Pattern flat;
      for (Pattern& part : join->parts) flat = joined(std::move(flat), std::move(part));
      node->node = std::move(flat.node);
    }
  }
  return copy;
}

Query with_graph_renamed(const Query& query, std::string_view from, std::string_view to) {
  Query copy = query;
  const IriChange change{from, to};
  for (Pattern* pattern : patterns_of(copy)) {
    if (auto* graph = std::get_if<sparql::Graph>(&pattern->node)) change.in(graph->name);
  }
  for (sparql::DatasetGraph& graph : copy.dataset) change.in(graph.iri);
  return copy;
}

}  // namespace helve::toolkit
