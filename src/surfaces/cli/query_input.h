// What `helve query` is to read: the words of the call sorted into files and a query.
#pragma once

#include <string>
#include <vector>

#include "surfaces/cli/command.h"

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

// Reads the query, not the sources. InvalidInput when something is missing, named twice or not what
// it seems to be.
Result<QueryInput> find_query_input(const QueryOptions& options, CommandContext& context);

}  // namespace helve::cli
