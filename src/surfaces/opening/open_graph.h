// Opening what there is to work on: an index folder, files, or files that the cache knows. For all
// surfaces that have a cache; the command line adds a progress bar (surfaces/cli/open_graph.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/rdf/document.h"
#include "sources/rdf/format.h"
#include "sources/store/live/live_snapshot.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

struct GraphInput {
  std::vector<std::string> paths;  // "-" is standard input
  std::optional<rdf::Format> format;
  std::string base_iri;
  bool is_lenient = false;
  bool uses_cache = true;
};

enum class GraphOrigin : std::uint8_t { Files, Cache, Index };

struct OpenedFile {
  std::string name;
  std::string format;
  std::uint64_t bytes = 0;
};

// Move-only.
struct OpenedGraph {
  store::Loaded loaded;
  GraphOrigin origin = GraphOrigin::Files;
  std::vector<OpenedFile> files;  // only where they were asked for
  // Of an index: with the changes since it was built. Where OpenChoice::wants_live was not said,
  // `loaded` has them merged into it; otherwise it has the base alone.
  std::shared_ptr<const store::LiveSnapshot> live;

  // What queries are asked of.
  std::shared_ptr<const sparql::Snapshot> data() const;

  // To be called when the answer is out, whether or not it became one: keeps what was loaded in the
  // cache, or removes a cached snapshot that proved to be damaged.
  void finish(bool is_damaged, const OpContext& op) const;

  // Where the index of names is kept, or may be; `input` is what it was opened from.
  store::LocalFolder folder(const GraphInput& input, Env& env) const;

  std::unique_ptr<store::SnapshotCache> cache;  // null: not in use
  store::CacheRequest request;
  store::CacheLookup lookup;
};

struct OpenChoice {
  std::vector<std::string> graphs;  // see store::LoadOptions
  bool wants_files = false;
  bool wants_live = false;  // OpenedGraph::live is enough
};

// With what it is opened.
struct OpenTools {
  Env& env;
  const OpContext& op;
  const Result<store::CacheOptions>& cache;  // NotFound: there is none
  // Reads documents; null: store::load_documents.
  std::function<Result<store::Loaded>(std::vector<rdf::Document>, const store::LoadOptions&)> load;
  // For who is asked by SERVICE: "helve 0.1.0", and the variables of the environment.
  std::string program;
  Environment environment;
};

// InvalidInput also for an index folder among other sources.
Result<OpenedGraph> open_graph(const GraphInput& input, const OpenTools& tools,
                               OpenChoice choice = {});

// The index folder that is the only source; nullopt where there is none. InvalidInput for one that
// is named together with others, or with options that are for files alone, and for folders that
// have no index; Denied for those that cannot be looked into.
Result<std::optional<std::string>> find_index(const GraphInput& input, Env& env,
                                              const std::vector<std::string>& graphs = {});

Result<std::vector<rdf::Document>> open_documents(const GraphInput& input, Env& env,
                                                  const OpContext& op);

// A graph as tools see it, and what it was opened from.
struct OpenedSource {
  std::shared_ptr<const GraphSource> source;
  OpenedGraph graph;
};

// `place` is one of place_of(); `info` without features.
Result<OpenedSource> open_source(const std::string& place, SourceInfo info, bool uses_cache,
                                 const OpenTools& tools);

}  // namespace helve::opening
