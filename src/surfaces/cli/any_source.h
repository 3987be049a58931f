// Opening a source of any kind for one command: files, index folders, the sample, databases and
// endpoints. tool_session.h is for several of them behind a policy.
#pragma once

#include <memory>
#include <optional>

#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/opening/source_uri.h"

namespace helve::cli {

// Move-only. One of both is there.
struct AnySource {
  std::shared_ptr<const GraphSource> graph;
  std::shared_ptr<const TableSource> tables;
  std::optional<OpenedGraph> opened;  // of files and index folders

  // Keeps what was loaded in the cache. Call it once, when the answers are out.
  void finish(const OpContext& op) const;
};

struct AnySourceChoice {
  bool uses_cache = true;
  bool is_writable = false;  // a database
};

Result<AnySource> open_any_source(const opening::NamedSource& source, const AnySourceChoice& choice,
                                  CommandContext& context);

}  // namespace helve::cli
