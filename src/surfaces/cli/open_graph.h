// Opening what a command is to work on: an index folder, files, or files that the cache knows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/snapshot_cache.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/info_report.h"

namespace helve::cli {

enum class GraphOrigin : std::uint8_t { Files, Cache, Index };

// Move-only.
struct OpenedGraph {
  store::Loaded loaded;
  GraphOrigin origin = GraphOrigin::Files;
  std::vector<InfoFile> files;  // only where they were asked for

  // To be called when the answer is out, whether or not it became one: keeps what was loaded in the
  // cache, or removes a cached snapshot that proved to be damaged.
  void finish(bool is_damaged, const CommandContext& context) const;

  // Where the index of names is kept, or may be; `input` is what it was opened from.
  store::LocalFolder folder(const InputOptions& input, Env& env) const;

  std::unique_ptr<store::SnapshotCache> cache;  // null: not in use
  store::CacheRequest request;
  store::CacheLookup lookup;
};

struct OpenChoice {
  std::vector<std::string> graphs;  // see store::LoadOptions
  bool wants_files = false;
};

// InvalidInput also for an index folder among other sources.
Result<OpenedGraph> open_graph(const InputOptions& input, CommandContext& context,
                               OpenChoice choice = {});

// The index folder that is the only source; nullopt where there is none. InvalidInput for one that
// is named together with others, or with options that are for files alone, and for folders that
// have no index; Denied for those that cannot be looked into.
Result<std::optional<std::string>> find_index(const InputOptions& input, Env& env,
                                              const std::vector<std::string>& graphs = {});

}  // namespace helve::cli
