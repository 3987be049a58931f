// Random queries about the data of random_data.h: every pattern and modifier of SPARQL, with a
// taste for what optimizers get wrong. Expressions are in random_expression.cc.
#pragma once

#include <string>
#include <vector>

#include "sources/sparql/algebra/query.h"
#include "tests/reference/choices.h"

namespace helve::reference {

struct QueryOptions {
  std::vector<std::string> graphs;  // that FROM may name
  std::size_t depth = 3;
  // For large data: no products of patterns that share nothing, but for one in a hundred.
  bool is_connected = false;
};

// What a text can say, but for a few rules about scopes: print it, and leave out what does not
// parse. Values never depend on an order that is open: no SAMPLE of different terms and the like.
class RandomQuery {
 public:
  RandomQuery(Choices& choices, QueryOptions options)
      : choices_(choices), options_(std::move(options)) {}

  sparql::Query make();

 private:
  std::size_t below(std::size_t count) { return choices_.below(count); }
  bool chance(std::size_t percent) { return choices_.chance(percent); }

  // Patterns.
  sparql::Pattern pattern(std::size_t depth);
  sparql::Pattern leaf();
  sparql::Pattern triples();
  sparql::Pattern joined(std::size_t depth);
  sparql::Pattern optional(std::size_t depth);
  sparql::Pattern minus(std::size_t depth);
  sparql::Pattern filtered(std::size_t depth);
  sparql::Pattern extended(std::size_t depth);
  sparql::Pattern graph(std::size_t depth);
  sparql::Values values();
  sparql::TriplePattern triple(sparql::TermPattern subject, sparql::TermPattern object);
  std::vector<sparql::TriplePattern> star(std::size_t size);
  std::vector<sparql::TriplePattern> chain(std::size_t size, bool is_closed);
  std::vector<sparql::TriplePattern> same_variable();
  std::vector<sparql::TriplePattern> any_triples(std::size_t size);
  sparql::PredicatePattern predicate();
  sparql::Path path(std::size_t depth);

  // Terms.
  sparql::Variable any_variable();
  sparql::Variable fresh_variable();
  // One of the pattern's own, mostly.
  sparql::Variable variable_of(const std::vector<std::string>& scope);
  rdf::Term any_constant();
  sparql::TermPattern any_subject();
  sparql::TermPattern any_object();

  // What follows WHERE.
  sparql::Select select(std::size_t depth, bool is_inner);
  sparql::Select statistics();
  void add_items(sparql::Select& out, const std::vector<std::string>& scope);
  void add_groups(sparql::Select& out, const std::vector<std::string>& scope);
  void add_order(sparql::Select& out, const std::vector<std::string>& scope, bool is_inner);
  sparql::Construct construct();

  // Expressions.
  sparql::Expression truth(std::size_t depth, const std::vector<std::string>& scope);
  sparql::Expression comparison(std::size_t depth, const std::vector<std::string>& scope);
  sparql::Expression operand(std::size_t depth, const std::vector<std::string>& scope);
  sparql::Expression any_function(std::size_t depth, const std::vector<std::string>& scope);
  sparql::Expression text_test(const std::vector<std::string>& scope);
  sparql::Expression exists(std::size_t depth);
  sparql::Expression aggregate(const std::vector<std::string>& scope);
  std::vector<sparql::Expression> conditions(std::size_t count, std::size_t depth,
                                             const std::vector<std::string>& scope);

  Choices& choices_;
  QueryOptions options_;
  std::size_t fresh_ = 0;
  std::size_t blanks_ = 0;
};

}  // namespace helve::reference
