// Joins with what a path matches: closures (*, +, ?) and negated property sets. All other paths are
// made of triples by the planner.
#pragma once

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/operator.h"
#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

// REQUIRES: path is ZeroOrMore, OneOrMore, ZeroOrOne or NegatedSet.
Result<OperatorPtr> make_path_join(OperatorPtr input, const TermPattern& subject, const Path& path,
                                   const TermPattern& object, const GraphScope& scope,
                                   RunState& run);

}  // namespace helve::sparql
