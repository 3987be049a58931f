// Answering a SPARQL query as a tool: feeds, guard, run, handle, diagnosis. sparql_query and
// g_query differ in the graph alone.
#pragma once

#include <optional>
#include <string>

#include "sources/graph_source.h"
#include "toolkit/guard/probe_choice.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

struct QueryChoices {
  std::string query;
  std::uint64_t limit = 100;  // rows shown
  bool is_validated = true;
  bool is_explained = false;
  bool is_diagnosed = true;
  std::string incomplete;  // why the answer cannot be all; set by what the query is fed with
  // A pattern that must match and does not, so that the query need not run; set by the gate.
  std::optional<ProbeCandidate> unmatched = std::nullopt;
};

ToolAnswer answer_query(ToolCall& call, const GraphSource& graph, const QueryChoices& choices);

// The query, with the columns of handles that it is fed with. Known prefixes are those of the
// graph.
struct ReadQuery {
  sparql::Query query;
  std::vector<std::string> notes;
  std::string incomplete;  // why what it was fed with is not all
};
Result<ReadQuery> read_query(const std::string& text, const GraphSource& graph, ToolCall& call);

// How many rows a query has in all; counted within a share of the time, or else estimated.
struct TotalRows {
  std::optional<std::uint64_t> n;
  std::string is;  // exact, at_least, estimate; empty: nothing is known
};
// A large endpoint is made to count no further.
inline constexpr std::uint64_t kCountedThere = 1'000'000;
inline constexpr std::uint64_t kCountedTriplesMax = 20'000'000;  // that make it large
// An error that is no time-out or lack of memory is one of the query.
Result<TotalRows> count_rows(const sparql::Query& query, const GraphSource& graph, double share,
                             std::uint64_t at_least, ToolCall& call);

}  // namespace helve::toolkit
