// The plan that EXPLAIN FORMAT=JSON gives, as a tree for readers.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

// InvalidInput where it is no JSON.
Result<TablePlan> read_plan(std::string_view json);

}  // namespace helve::sql::mysql
