// Why a FILTER or MINUS takes every row away, by trying it in other words.
#pragma once

#include "toolkit/diagnosis/inquiry.h"
#include "toolkit/diagnosis/smallest_set.h"

namespace helve::toolkit {

// REQUIRES: `core` has rows and none is left with the part `killer` too.
Diagnosis filter_cause(GroupProbes& group, const PartSet& core, std::size_t killer,
                       Inquiry& inquiry);

}  // namespace helve::toolkit
