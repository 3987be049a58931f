// What several graph tools do with a graph: read a name that a caller wrote, ask a small question,
// find labels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

using Cells = std::vector<std::optional<rdf::Term>>;

// All rows of a small question.
struct SmallTable {
  std::vector<std::string> columns;
  std::vector<Cells> rows;
  bool has_more = false;
  std::optional<bool> boolean;

  // The number in a cell, 0 where there is none.
  std::uint64_t number(std::size_t row, std::size_t column) const;
};

// Asks a question that we wrote: the text must parse. At most `rows_max` rows.
Result<SmallTable> ask_small(const GraphSource& graph, const std::string& sparql,
                             std::uint64_t rows_max, const OpContext& context);
// The number that the only cell of the answer has.
Result<std::uint64_t> ask_number(const GraphSource& graph, const std::string& sparql,
                                 const OpContext& context);

// Whether it is an endpoint with more triples than these, or one whose size is not known: what
// would be asked of a graph at hand is then asked of a sample.
inline constexpr std::uint64_t kNearTriplesMax = 1'000'000;
bool is_far(const GraphSource& graph, const OpContext& context,
            std::uint64_t triples_max = kNearTriplesMax);

// "<http://...>", as it stands in a query.
std::string in_query(std::string_view iri);

// A name as a caller wrote it, understood.
struct ReadName {
  std::string iri;
  std::vector<DataLine> warnings;  // how it was read, where that was a choice
};

// Reads <iri>, iri, prefix:name (prefixes of the data, then well-known ones), or words: the label
// or local name of something, or a part that only one thing has in its name. Anything else,
// misspelt names among it, is NotFound with the nearest names. (name_reading.cc)
std::variant<ReadName, ToolError> read_name(std::string_view text, NameKind kind,
                                            const GraphSource& graph, const ToolCall& call);

// results_12, @graph_0, results_3[4].x: what the key or address of a handle looks like.
bool looks_like_key(std::string_view text);

// "Person (12)" for hints.
std::string show_hit(const NameHit& hit, const PrefixList& prefixes);

// Labels of some IRIs, in their order, empty where there is none; one question for all of them.
std::vector<std::string> labels_of(const std::vector<std::string>& iris, const GraphSource& graph,
                                   const OpContext& context);

// The prefixes with which replies about a graph show IRIs: its own, then the well-known ones.
// Made once for each list of its own.
ShownPrefixes shown_prefixes(const GraphSource& graph);

// How a call would run a query on the graph of this one: "sparql_query query="..."", or g_query
// with its handle. On one line.
std::string query_usage(const ToolCall& call, std::string_view query);
// The same where the query has words of a source.
DataLine query_from_data(const ToolCall& call, std::string_view query);
// A query that we printed, without its line ends: strings have none that are not escaped.
std::string to_one_line(std::string_view text);

// The first of them, to be kept with a handle.
ShownPrefixes kept_prefixes(const GraphSource& graph);

// A part of the time that is left.
OpContext with_share(const OpContext& context, double share, Env& env);

}  // namespace helve::toolkit
