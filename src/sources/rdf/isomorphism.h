// Are two sets of statements the same but for the labels of blank nodes?
// https://www.w3.org/TR/rdf11-concepts/#graph-isomorphism, extended to datasets.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/quad_set.h"

namespace helve::rdf {

// Repeated statements count once; blank nodes may also name graphs. Takes O(m log n) for nearly all
// data. LimitExceeded when the search for a mapping takes more than Limits::isomorphism_steps_max
// steps above the few per statement that every graph gets (graphs built to be hard).
Result<bool> are_isomorphic(const QuadSet& a, const QuadSet& b, const OpContext& context = {});

}  // namespace helve::rdf
