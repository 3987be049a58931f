// The operators that must see all of their input, or remember what they gave: DISTINCT, ORDER BY,
// GROUP BY. What they hold is charged to the query's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/engine/bound_expression.h"
#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// The first of equal rows, in the order of the input. `is_sorted`: equal rows stand together in the
// input; then nothing is held.
OperatorPtr make_distinct(OperatorPtr input, RunState& run, bool is_sorted = false);

struct SortColumn {
  BoundExpression expression;
  bool is_descending = false;
};
// Stable. Gives the first `rows_wanted` rows, if given, and holds no more than about twice as many.
OperatorPtr make_sort(OperatorPtr input, std::vector<SortColumn> columns,
                      std::optional<std::uint64_t> rows_wanted, RunState& run);

struct GroupColumn {
  std::string name;
  BoundExpression expression;
};
struct AggregateColumn {
  std::string name;
  Aggregate aggregate;
  std::optional<BoundExpression> argument;  // none: COUNT(*)
};
enum class GroupMode : std::uint8_t {
  Hashed,
  Sorted,       // rows with equal keys stand together in the input: groups are given as they end
  Preliminary,  // a key may come several times, to be grouped again; nothing comes of no rows
};
// One row for each group, in the order of their first rows: the keys, then the aggregates. Without
// keys there is always one group.
OperatorPtr make_group(OperatorPtr input, std::vector<GroupColumn> keys,
                       std::vector<AggregateColumn> aggregates, RunState& run,
                       GroupMode mode = GroupMode::Hashed);

}  // namespace helve::sparql
