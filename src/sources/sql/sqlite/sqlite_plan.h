// EXPLAIN QUERY PLAN of SQLite as a tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/table_source.h"

namespace helve::sql {

struct PlanStep {
  std::int64_t id = 0;
  std::int64_t parent = 0;  // 0: none
  std::string detail;
};

// Steps whose parent has not come before them are at the top.
TablePlan plan_of(const std::vector<PlanStep>& steps);

}  // namespace helve::sql
