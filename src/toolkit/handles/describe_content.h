// What a Ref tells of the content of a handle: how much it is, and how it begins.
#pragma once

#include <string>
#include <string_view>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "toolkit/handles/ref.h"
#include "toolkit/handles/row_table.h"

namespace helve::toolkit {

// dtype, rows, sz, prev and columns.
Ref describe_rows(const RowTable& table);
Ref describe_text(std::string_view text);
// sz counts what the statements take as N-Triples where that is quick to know, else it is 0.
Result<Ref> describe_graph(const GraphSource& graph, const OpContext& context);

// Short, of the text alone; empty for none.
std::string hash_of_query(std::string_view query);

}  // namespace helve::toolkit
