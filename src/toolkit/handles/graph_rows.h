// Graphs as rows, and whether two are the same but for the labels of their blank nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/handles/row_table.h"

namespace helve::toolkit {

// The triples of all graphs, each once: s, p, o. LimitExceeded where there are more than `rows_max`
// and where not all can be read.
Result<RowTablePtr> graph_rows(const GraphSource& graph, std::uint64_t rows_max,
                               const OpContext& context);

// What stands for the value of a cell: equal ones are equal. It is not asked about blank nodes.
using ValueName = std::function<std::string(std::uint64_t row, std::size_t column)>;

// Of tables with the columns s, p, o, without unbound cells. LimitExceeded where that takes too
// many steps: it cannot be decided.
Result<bool> are_same_graphs(const RowTable& left, const ValueName& left_name,
                             const RowTable& right, const ValueName& right_name,
                             const OpContext& context);

}  // namespace helve::toolkit
