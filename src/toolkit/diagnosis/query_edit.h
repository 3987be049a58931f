// Copies of a query with one thing changed, for suggestions.
#pragma once

#include <string_view>

#include "sources/sparql/algebra/query.h"

namespace helve::toolkit {

// Everywhere: in triples, paths, VALUES, GRAPH, FROM, expressions.
sparql::Query with_iri_replaced(const sparql::Query& query, std::string_view from,
                                std::string_view to);
// REQUIRES: `which` is a triple of this query's patterns.
sparql::Query with_triple(const sparql::Query& query, const sparql::TriplePattern* which,
                          const sparql::TriplePattern& replacement);
// REQUIRES: `which` is an expression of this query's patterns.
sparql::Query with_expression(const sparql::Query& query, const sparql::Expression* which,
                              const sparql::Expression& replacement);
sparql::Query with_term_in_values(const sparql::Query& query, const rdf::Term& from,
                                  const rdf::Term& to);
// Without FROM and FROM NAMED.
sparql::Query without_dataset(const sparql::Query& query);
// The same, and without any GRAPH around patterns.
sparql::Query without_graphs(const sparql::Query& query);
sparql::Query with_graph_renamed(const sparql::Query& query, std::string_view from,
                                 std::string_view to);

}  // namespace helve::toolkit
