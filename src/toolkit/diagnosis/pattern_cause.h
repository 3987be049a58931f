// Why triples that match nothing match nothing: one alone, or several that match one by one.
#pragma once

#include "toolkit/diagnosis/inquiry.h"
#include "toolkit/diagnosis/smallest_set.h"

namespace helve::toolkit {

// REQUIRES: the part is a Triple and matches nothing in the scope.
Diagnosis triple_cause(const std::vector<Part>& parts, std::size_t index, const Scope& scope,
                       Inquiry& inquiry);

// REQUIRES: the set has two or more parts, matches nothing, and does so with no part left out.
Diagnosis join_cause(GroupProbes& group, const PartSet& chosen, Inquiry& inquiry);

}  // namespace helve::toolkit
