// Graphs as rows, and whether two are the same but for the labels of their blank nodes.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/handles/row_table.h"

namespace helve::toolkit {

// The triples of all graphs, each once: s, p, o. LimitExceeded where there are more than `rows_max`
// and where not all can be read.
Result<RowTablePtr> graph_rows(const GraphSource& graph, std::uint64_t rows_max,
                               const OpContext& context);

// Of tables with the columns s, p, o. Values are compared as value_key() does, with their
// languages. LimitExceeded where that takes too many steps: it cannot be decided.
Result<bool> are_same_graphs(const RowTable& left, const RowTable& right, const OpContext& context);

}  // namespace helve::toolkit
