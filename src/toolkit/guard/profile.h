// GraphProfile: what is known of the size of a graph, so that a query can be judged before it runs:
// exact for a local graph, from VoID or memory for an endpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/env.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/void_description.h"

namespace helve::toolkit {

// Matches of one pattern, as a probe counted them.
struct FoundSize {
  std::uint64_t n = 0;
  bool is_exact = true;        // false: there are at least so many
  bool has_timed_out = false;  // it took too long to count: `n` is what was walked through by then
  std::string pattern;         // as SPARQL
};

struct GraphProfile {
  std::string name;
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;
  std::uint64_t objects = 0;
  std::unordered_map<std::string, std::uint64_t> class_instances;
  std::unordered_map<std::string, PropertySizes> properties;
  std::unordered_map<std::string, std::uint64_t> graph_triples;  // of named graphs, where known
  std::map<std::string, FoundSize> found;  // by Sizes::key_of; what was asked for one query
  double unknown_rows = 1'000;  // of a class or property that is not listed, or of another endpoint
  bool is_triples_known = true;  // false: `triples` is what there is at least
  bool is_exact = false;         // false: what is not listed may still be there
  bool is_local = false;         // an engine of ours: counts come from indexes, joins are cheap
  double rows_per_second = 2e6;  // that the engine is known to walk through
};

GraphProfile profile_of(const GraphSource& source, const GraphSchema& schema);
// A VoID description (Turtle or RDF/XML): the triples of the largest dataset, the class and
// property partitions of that dataset or, where it has none, of all its parts together.
// InvalidInput where the document tells of no sizes.
Result<GraphProfile> profile_from_void(const std::string& path, const OpContext& context,
                                       Env& env = real_env());
// By size alone, for an endpoint of which nothing else is known.
GraphProfile profile_of_size(std::string name, std::uint64_t triples);

}  // namespace helve::toolkit
