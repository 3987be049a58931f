// What `helve query` is to read: the words of the call sorted into files and a query.
#pragma once

#include <string>
#include <vector>

#include "sources/sparql/algebra/parser.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/open_graph.h"

namespace helve::cli {

// A file and the graph its statements go to; empty: as the file says.
struct QuerySource {
  std::string path;
  std::string graph;
};

struct QueryInput {
  std::string name;  // of the query: its file, or "query"
  std::string text;
  std::vector<QuerySource> sources;
};

// "IRI=FILE".
Result<QuerySource> parse_named_graph(const std::string& word);

// Those among `words`, which are files, and those of the options.
Result<std::vector<QuerySource>> find_sources(const QueryOptions& options,
                                              std::vector<std::string> words);

// Reads the query, not the sources. InvalidInput when something is missing, named twice or not what
// it seems to be.
Result<QueryInput> find_query_input(const QueryOptions& options, CommandContext& context);

// Tells of statements that were skipped.
Result<OpenedGraph> open_sources(const std::vector<QuerySource>& sources,
                                 const QueryOptions& options, CommandContext& context);

// Without the prefixes of the data.
sparql::ParseOptions parse_options_of(const QueryOptions& options, const CommandContext& context);

}  // namespace helve::cli
