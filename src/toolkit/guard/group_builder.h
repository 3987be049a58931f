// Takes a pattern apart into a Group. Sub-queries that stand for themselves are asked back about.
#pragma once

#include <functional>

#include "toolkit/guard/group.h"

namespace helve::toolkit {

// The rows that a sub-query gives, estimated by whoever takes care of it.
using OnSubSelect = std::function<double(sparql::Select& select, const Sizes& sizes)>;

// The pattern must outlive the group.
Group build_group(sparql::Pattern& pattern, const Sizes& sizes, const OnSubSelect& on_sub_select);

// With the VALUES at its end.
Group build_group(sparql::Body& body, const Sizes& sizes, const OnSubSelect& on_sub_select);

// A sub-query that only names columns: the same as its pattern.
bool is_transparent(const sparql::Select& select);

}  // namespace helve::toolkit
