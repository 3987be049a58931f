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
  store::Loaded loaded;  // of an index: its base alone
  // What is asked, once it is open: of an index, with the changes since its base was written.
  std::shared_ptr<const store::LiveSnapshot> data;
  GraphOrigin origin = GraphOrigin::Files;
  std::vector<OpenedFile> files;  // only where they were asked for

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

// The graph as tools see it. That of an index follows what other processes write into its folder.
// `input` is what it was opened from; `info` without features.
Result<std::shared_ptr<const GraphSource>> source_of(const OpenedGraph& graph,
                                                     const GraphInput& input, SourceInfo info,
                                                     const OpenTools& tools);

// Both together.
struct OpenedSource {
  std::shared_ptr<const GraphSource> source;
  OpenedGraph graph;
};

// `place` is one of place_of(); `info` without features.
Result<OpenedSource> open_source(const std::string& place, SourceInfo info, bool uses_cache,
                                 const OpenTools& tools);

}  // namespace helve::opening
