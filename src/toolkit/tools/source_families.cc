#include "toolkit/tools/source_families.h"

#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {

SourceFamilies families_of(const Toolkit& toolkit, const Caller& caller) {
  SourceFamilies families;
  for (const KnownSource& source : toolkit.sources(caller)) {
    const bool is_graph = source.info.kind == SourceKind::Graph;
    (is_graph ? families.has_graphs : families.has_tables) = true;
    families.is_remote = families.is_remote || source.info.is_remote;
  }
  return families;
}

bool is_needed(const Tool& tool, const SourceFamilies& families) {
  if (tool.needs_tables) return families.has_tables;
  const bool is_of_graphs = tool.needs_graph || tool.takes_graph;
  return !is_of_graphs || families.has_graphs || !families.has_tables;
}

}  // namespace helve::toolkit
