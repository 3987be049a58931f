// Questions about a pattern or an expression that need no data.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sources/sparql/algebra/query.h"

namespace helve::sparql {

// In order of first appearance, each once.
using VariableNames = std::vector<std::string>;

// Variables in scope: https://www.w3.org/TR/sparql11-query/#variableScope
VariableNames variables_in_scope(const Pattern& pattern);
// Those bound in every solution.
std::set<std::string> certain_variables(const Pattern& pattern);
// The columns of a SELECT, * resolved.
VariableNames result_variables(const Select& select);
// Variables that an expression mentions, inside EXISTS too.
std::set<std::string> mentioned_variables(const Expression& expression);
// An aggregate outside of EXISTS.
bool has_aggregate(const Expression& expression);
// GROUP BY, HAVING, or an aggregate in ORDER BY or the items.
bool is_grouped(const Select& select);
bool is_grouped(const Body& body);

// One part of a query that can be asked about alone: a triple, a filter, an OPTIONAL ...
struct PatternPart {
  enum class Kind : std::uint8_t {
    Triple,
    Path,
    Filter,
    Optional,
    Union,
    Minus,
    Bind,
    Values,
    Graph,
    Service,
    SubSelect,
  };
  Kind kind;
  SourceSpan span;
  const Pattern* pattern = nullptr;        // the node it stands in
  const TriplePattern* triple = nullptr;   // Triple, Path
  const Expression* expression = nullptr;  // Filter, Bind
};

// Every part of the query's patterns, in the order of the text, sub-queries and EXISTS included
// (not so the VALUES clause at the end, which is Body::values). Spans are those of the nodes;
// of a tree without any, parts come in the order of the tree.
std::vector<PatternPart> pattern_parts(const Query& query);

// Call back for every node, parents first, also those inside expressions and sub-queries.
void for_each_pattern(const Pattern& pattern, const std::function<void(const Pattern&)>& visit);
void for_each_expression(const Pattern& pattern,
                         const std::function<void(const Expression&)>& visit);

}  // namespace helve::sparql
