// IndexJoin: extends the rows of its input by the triples of a pattern, looking up whole batches at
// once. LeapfrogJoin does so for several patterns that meet in one new variable.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sources/sparql/engine/index_scan.h"

namespace helve::sparql {

struct IndexJoinOptions {
  LookupKind kind = LookupKind::All;
  bool is_ascending = false;  // the input is sorted by the only variable that both have
  const std::set<std::string>* kept = nullptr;  // null: all columns
};

// REQUIRES: the variables of the pattern differ; those that the input has are bound in every row;
// is_one_graph(scope). The scope must outlive it. Rows come in the order of the input.
OperatorPtr make_index_join(OperatorPtr input, const PatternSlots& slots, const GraphScope& scope,
                            const IndexJoinOptions& options, const RunState& run);

// The index that such a join looks up in, for people.
std::optional<Order> looked_up_order(const PatternSlots& slots, const Schema& input,
                                     const GraphScope& scope, const IndexJoinOptions& options,
                                     const Snapshot& data);

// Each of the patterns has the variable, once, and otherwise constants and variables that the input
// binds in every row. Null where the dataset cannot intersect: `input` is then untouched.
OperatorPtr make_leapfrog_join(OperatorPtr& input, const std::string& variable,
                               const std::vector<PatternSlots>& patterns, const GraphScope& scope,
                               const std::set<std::string>* kept, const RunState& run);

}  // namespace helve::sparql
