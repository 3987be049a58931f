#include "surfaces/opening/open_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_store.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_folder.h"
#include "surfaces/opening/open_endpoint.h"
#include "surfaces/opening/open_tables.h"
#include "surfaces/opening/source_uri.h"
#include "surfaces/sample/sample.h"

namespace helve::opening {

namespace {

Result<OpenedGraph> open_index(const std::string& folder, const OpContext& op, Env& env,
                               const OpenChoice& choice) {
  OpenedGraph graph;
  graph.origin = GraphOrigin::Index;
  HELVE_ASSIGN(graph.data, store::open_live_snapshot(folder, op, env));
  graph.loaded.snapshot = graph.data->base();
  graph.loaded.report.statements_read = graph.data->statements();
  if (choice.wants_files) {
    HELVE_ASSIGN(const store::SnapshotInfo info, store::read_snapshot_info(folder, op, env));
    graph.files = {{folder, "index", info.bytes}};
  }
  return graph;
}

std::vector<OpenedFile> describe(const std::vector<rdf::Document>& documents) {
  std::vector<OpenedFile> files;
  files.reserve(documents.size());
  for (const rdf::Document& document : documents) {
    files.push_back({document.name(), std::string(rdf::format_name(document.format())),
                     document.bytes_total()});
  }
  return files;
}

// Formats are told by content and, where that is not enough, by name; relative IRIs are resolved
// against the file's own address. So the path is a part of how a file is read.
store::CacheRequest cache_request(const GraphInput& input, const std::vector<std::string>& graphs,
                                  const std::string& program) {
  store::CacheRequest request;
  request.reading = fmt::format("{} {}", program, input.is_lenient ? "lenient" : "strict");
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    std::error_code error;
    const auto path = std::filesystem::absolute(input.paths[i], error).lexically_normal();
    request.files.push_back(
        {input.paths[i],
         fmt::format("{}\n{}\n{}\n{}",
                     input.format ? rdf::format_name(*input.format) : "by content",
                     i < graphs.size() ? graphs[i] : "", input.base_iri, path.string())});
  }
  return request;
}

void take(store::Loaded loaded, OpenedGraph& graph) {
  graph.loaded = std::move(loaded);
  graph.data = std::make_shared<const store::LiveSnapshot>(graph.loaded.snapshot);
}

Result<void> look_into_cache(const GraphInput& input, const std::vector<std::string>& graphs,
                             const OpenTools& tools, OpenedGraph& graph) {
  const bool reads_stream = std::count(input.paths.begin(), input.paths.end(), "-") > 0;
  if (!input.uses_cache || input.paths.empty() || reads_stream) return {};
  if (!tools.cache) {
    if (tools.cache.error().code == ErrorCode::NotFound) return {};
    return tools.cache.error();
  }
  graph.cache = std::make_unique<store::SnapshotCache>(tools.env, *tools.cache);
  graph.request = cache_request(input, graphs, tools.cache->program);
  HELVE_ASSIGN(graph.lookup, graph.cache->find(graph.request, tools.op));
  if (graph.lookup.snapshot == nullptr) return {};
  graph.origin = GraphOrigin::Cache;
  store::Loaded loaded;
  loaded.snapshot = graph.lookup.snapshot;
  loaded.report.statements_read = graph.lookup.statements_read;
  take(std::move(loaded), graph);
  return {};
}

bool is_folder(const std::string& path, Env& env) {
  const auto status = env.files().status(path);
  return status && status->kind == FileKind::Directory;
}

}  // namespace

store::LocalFolder OpenedGraph::folder(const GraphInput& input, Env& env) const {
  if (origin == GraphOrigin::Index) return {input.paths.front(), &env};
  if (origin == GraphOrigin::Cache) return {lookup.folder, &env};
  return {};
}

void OpenedGraph::finish(bool is_damaged, const OpContext& op) const {
  if (cache == nullptr) return;
  if (origin == GraphOrigin::Cache && is_damaged) {
    cache->forget(lookup);
  } else if (origin == GraphOrigin::Files && !op.cancel.is_cancelled()) {
    OpContext unhurried = op;
    unhurried.deadline = {};  // of the answer, which is out
    cache->keep(request, lookup, loaded, unhurried);
  }
}

Result<std::optional<std::string>> find_index(const GraphInput& input, Env& env,
                                              const std::vector<std::string>& graphs) {
  HELVE_TRY(check_no_database(input.paths, env));
  const auto index =
      std::find_if(input.paths.begin(), input.paths.end(),
                   [&](const std::string& path) { return path != "-" && is_folder(path, env); });
  if (index == input.paths.end()) return std::optional<std::string>();
  HELVE_TRY(store::check_snapshot_folder(*index, env));
  const auto place = static_cast<std::size_t>(index - input.paths.begin());
  if (input.paths.size() > 1) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the index {} cannot be read together with anything else", *index),
                 "make one index of all the files: helve load FILE... -o DIR"};
  }
  if (place < graphs.size() && !graphs[place].empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the index {} cannot become a named graph", *index),
                 "name its files when it is made: helve load --named-graph IRI=FILE -o DIR"};
  }
  if (input.format || !input.base_iri.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is an index: --from and --base are for files", *index),
                 "leave them out, or give them to helve load"};
  }
  return *index;
}

Result<std::vector<rdf::Document>> open_documents(const GraphInput& input, Env& env,
                                                  const OpContext& op) {
  if (std::count(input.paths.begin(), input.paths.end(), "-") > 1) {
    return Error{ErrorCode::InvalidInput, "standard input can be read only once",
                 "name '-' once among the files"};
  }
  std::vector<rdf::Document> documents;
  for (const std::string& path : input.paths) {
    HELVE_ASSIGN(auto document, rdf::open_document(env, path, {.format = input.format}, op));
    documents.push_back(std::move(document));
  }
  return documents;
}

Result<OpenedGraph> open_graph(const GraphInput& input, const OpenTools& tools, OpenChoice choice) {
  HELVE_ASSIGN(const auto index, find_index(input, tools.env, choice.graphs));
  if (index) return open_index(*index, tools.op, tools.env, choice);
  OpenedGraph graph;
  HELVE_TRY(look_into_cache(input, choice.graphs, tools, graph));
  const bool is_cached = graph.origin == GraphOrigin::Cache;
  if (is_cached && !choice.wants_files) return graph;
  HELVE_ASSIGN(auto documents, open_documents(input, tools.env, tools.op));
  if (choice.wants_files) graph.files = describe(documents);
  if (is_cached) return graph;
  const store::LoadOptions options{
      .base_iri = input.base_iri, .lenient = input.is_lenient, .graphs = std::move(choice.graphs)};
  HELVE_ASSIGN(auto loaded, tools.load
                                ? tools.load(std::move(documents), options)
                                : store::load_documents(std::move(documents), options, tools.op));
  take(std::move(loaded), graph);
  return graph;
}

Result<std::shared_ptr<const GraphSource>> source_of(const OpenedGraph& graph,
                                                     const GraphInput& input, SourceInfo info,
                                                     const OpenTools& tools) {
  info.features = {"SPARQL 1.1", "text index", "exact counts", "explain"};
  store::LocalFolder folder = graph.folder(input, tools.env);
  auto services = shared_services(
      {tools.program, tools.environment, endpoint_folders(tools.environment)}, tools.env);
  if (graph.origin != GraphOrigin::Index) {
    return store::make_local_graph(graph.loaded.snapshot, std::move(info), std::move(folder),
                                   std::move(services));
  }
  HELVE_ASSIGN(auto states, store::follow_folder(folder.path, graph.data, tools.env));
  return store::make_live_graph(std::move(states), std::move(info), std::move(folder),
                                std::move(services));
}

Result<OpenedSource> open_source(const std::string& place, SourceInfo info, bool uses_cache,
                                 const OpenTools& tools) {
  OpenedSource opened;
  GraphInput input;
  input.paths = {place};
  input.uses_cache = uses_cache;
  if (place == kSample) {
    std::vector<rdf::Document> documents;
    documents.push_back(
        rdf::Document::from_text("solar-system.trig", sample_trig(), rdf::Format::TriG));
    HELVE_ASSIGN(auto loaded, store::load_documents(std::move(documents), {}, tools.op));
    take(std::move(loaded), opened.graph);
  } else {
    HELVE_ASSIGN(opened.graph, open_graph(input, tools));
  }
  HELVE_ASSIGN(opened.source, source_of(opened.graph, input, std::move(info), tools));
  return opened;
}

}  // namespace helve::opening
