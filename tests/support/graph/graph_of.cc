#include "tests/support/graph/graph_of.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/env.h"
#include "sources/rdf/document.h"
#include "sources/store/live/local_factory.h"
#include "sources/store/loader.h"
#include "sources/store/local_graph.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_folder.h"

namespace helve::testing {

namespace {

Result<std::shared_ptr<const GraphSource>> load(rdf::Document document, std::string name,
                                                const OpContext& context) {
  std::vector<rdf::Document> documents;
  documents.push_back(std::move(document));
  HELVE_ASSIGN(auto loaded, store::load_documents(std::move(documents), {}, context));
  SourceInfo info;
  info.name = name;
  info.uri = std::move(name);
  info.engine = "helve";
  return store::make_local_graph(std::move(loaded.snapshot), info);
}

}  // namespace

std::shared_ptr<const GraphSource> graph_of(std::string_view trig, std::string name) {
  auto graph =
      load(rdf::Document::from_text("test.trig", trig, rdf::Format::TriG), std::move(name), {});
  HELVE_CHECK(graph.has_value());
  return *graph;
}

Result<std::shared_ptr<const GraphSource>> graph_of_file(const std::string& path,
                                                         const OpContext& context) {
  if (store::is_snapshot_folder(path)) {
    HELVE_ASSIGN(auto snapshot, store::open_snapshot(path, context));
    return store::make_local_graph(std::move(snapshot), {path, path, "helve", {}, {}, {}, false});
  }
  HELVE_ASSIGN(auto document, rdf::open_document(real_env(), path, {}, context));
  return load(std::move(document), path, context);
}

std::shared_ptr<GraphFactory> graph_factory() { return store::make_local_factory(real_env()); }

}  // namespace helve::testing
