// Plans of EXPLAIN (FORMAT JSON) as an indented tree.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql {

// Unavailable where the text is no plan.
Result<TablePlan> read_plan(std::string_view json);

}  // namespace helve::sql
