// What tools that ask a graph do with a memory bank, where there is one: sparql_query keeps
// patterns there, sparql_peek shows what is known. Neither fails when the bank does.
#pragma once

#include "toolkit/learning/extract.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// A query behind a handle as it was executed. InvalidInput where it came from no query of a source,
// or from SQL of a database that the call does not have (its dialect is needed).
Result<learning::Executed> executed_of(const Handle& handle, const ToolCall& call);
// Of the graph or database of the call, where asking for it costs little; empty otherwise.
// Whether it was learnt with another schema than the source of the call has now, as far as known.
bool is_stale(const memory::Item& item, const ToolCall& call);
std::string fingerprint_of(const std::string& source, const ToolCall& call);

// What the provenance of an item that the call adds says of it.
std::string adder_of(const ToolCall& call);
// Before a lesson that nobody has verified is stored. LimitExceeded if the caller has added too
// many within an hour.
Result<void> count_lesson(ToolCall& call);
void take_back_lesson(ToolCall& call);  // it was not stored

// The pattern of the query that the reply has rows of, quarantined. Says so in "pattern".
void remember_pattern(ToolCall& call, Reply& reply);

// Active items about the class or property that the reply shows, general ones and those of its
// source: "related_procedures".
void show_related(ToolCall& call, Reply& reply);

}  // namespace helve::toolkit
