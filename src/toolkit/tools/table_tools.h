// What the tools on SQL databases share: schema_inspect, query_execute and explain_plan. Their work
// on names, feeds and empty answers is in toolkit/tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/table_source.h"
#include "toolkit/tables/sql_feeds.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// Those of the datatypes that values of databases have.
const ShownPrefixes& table_prefixes();

ToolAnswer schema_inspect(ToolCall& call);
ToolAnswer query_execute(ToolCall& call);
ToolAnswer explain_plan(ToolCall& call);

// The statement of a call with its parameters, and with what it is fed with.
struct TableStatement {
  std::string original;
  BoundSql bound;
  std::string incomplete;  // why what it was fed with is not all
  std::string unfit;       // why what it was fed with must not decide what is changed
};
Result<TableStatement> read_statement(ToolCall& call);

// What went wrong with a statement, with names that were probably meant. The catalogue is read anew
// where a name is not known.
ToolError repaired_error(const Error& error, const SqlProblem& problem,
                         const TableStatement& statement, ToolCall& call);

// Members for a table's columns: "customer_id integer not null".
std::string written_column(const ColumnInfo& column);

}  // namespace helve::toolkit
