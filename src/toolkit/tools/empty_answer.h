// What query_execute and result_sql share when an answer is empty: how long the reason is sought,
// and how it is told. toolkit/tables/table_diagnosis.h finds it.
#pragma once

#include <string_view>

#include "sources/table_source.h"
#include "toolkit/handles/row_table.h"
#include "toolkit/tables/table_diagnosis.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// No rows, a count of 0, or a sum of nothing.
bool is_as_empty(const RowTable& rows, std::string_view sql, SqlDialect dialect);
// The call's, with a part of the time that is left.
OpContext for_diagnosis(const ToolCall& call);
// `tool` runs the suggestion.
void show_diagnosis(const TableDiagnosis& diagnosis, std::string_view tool, Reply& reply);

}  // namespace helve::toolkit
