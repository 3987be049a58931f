#include "sources/store/live/local_factory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sources/rdf/document.h"
#include "sources/store/live/live_graph.h"
#include "sources/store/live/live_merge.h"
#include "sources/store/live/live_store.h"
#include "sources/store/loader.h"
#include "sources/store/loading_sink.h"
#include "sources/store/local_graph.h"
#include "sources/store/scratch_space.h"
#include "sources/store/snapshot_assembly.h"
#include "sources/store/snapshot_file.h"

namespace helve::store {

namespace {

// A budget that lives as long as what is charged to it.
std::shared_ptr<MemoryBudget> budget_like(const MemoryBudget& memory) {
  const std::size_t used = std::min(memory.bytes_used(), memory.bytes_max());
  return std::make_shared<MemoryBudget>("graph", memory.bytes_max() - used, &process_memory());
}

OpContext with_memory(const OpContext& context, MemoryBudget& budget) {
  OpContext mine = context;
  mine.memory = &budget;
  return mine;
}

// Keeps the budget until the snapshot is gone.
template <typename Data>
std::shared_ptr<const Data> keep(std::shared_ptr<MemoryBudget> budget,
                                 std::shared_ptr<const Data> snapshot) {
  struct Kept {
    std::shared_ptr<MemoryBudget> budget;  // first: goes last
    std::shared_ptr<const Data> snapshot;
  };
  auto kept = std::make_shared<const Kept>(Kept{std::move(budget), std::move(snapshot)});
  const Data* const view = kept->snapshot.get();
  return {std::move(kept), view};
}

SourceInfo info_of(const std::string& name, std::string uri, const std::string& engine) {
  SourceInfo info;
  info.name = name.empty() ? uri : name;
  info.uri = std::move(uri);
  info.engine = engine;
  return info;
}

class CountingSink final : public rdf::StatementSink {
 public:
  explicit CountingSink(LoadingSink& sink) : sink_(sink) {}

  Result<void> statement(const rdf::StatementView& statement) override {
    HELVE_TRY(sink_.statement(statement));
    ++statements_;
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override { sink_.prefix(name, iri); }
  std::uint64_t statements() const { return statements_; }

 private:
  LoadingSink& sink_;
  std::uint64_t statements_ = 0;
};

class LocalBuilder final : public GraphFactory::Builder {
 public:
  LocalBuilder(std::shared_ptr<MemoryBudget> budget, std::uint64_t hash_seed, std::string engine)
      : budget_(std::move(budget)),
        loading_(std::make_unique<LoadingSink>(*budget_, hash_seed)),
        counting_(*loading_),
        engine_(std::move(engine)) {}

  rdf::StatementSink& sink() override { return counting_; }
  std::uint64_t statements() const override { return counting_.statements(); }

  Result<std::shared_ptr<const GraphSource>> finish(const std::string& name,
                                                    const OpContext& context) override {
    if (loading_ == nullptr) return Error{ErrorCode::Internal, "the graph was made already"};
    std::vector<std::unique_ptr<LoadingSink>> sinks;
    sinks.push_back(std::move(loading_));
    const OpContext mine = with_memory(context, *budget_);
    SnapshotAssembly assembly(std::move(sinks), mine);
    HELVE_TRY(assembly.number_terms());
    HELVE_TRY(assembly.sort());
    HELVE_ASSIGN(auto snapshot, assembly.count());
    return make_local_graph(keep(budget_, std::move(snapshot)), info_of(name, name, engine_));
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::unique_ptr<LoadingSink> loading_;  // null once the graph is made
  CountingSink counting_;
  std::string engine_;
};

class LocalFactory final : public GraphFactory {
 public:
  LocalFactory(Env& env, LocalFactoryOptions options) : env_(env), options_(std::move(options)) {}

  Result<std::shared_ptr<const GraphSource>> open(const std::string& path, const std::string& name,
                                                  const OpContext& context) override {
    auto budget = budget_like(*context.memory);
    const OpContext mine = with_memory(context, *budget);
    HELVE_ASSIGN(const FileStatus status, env_.files().status(path));
    // Pipes and devices, standard input among them, may never end, and are somebody else's.
    if (status.kind == FileKind::Other) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} is no file", path),
                   "name a regular file or an index folder"};
    }
    SourceInfo info = info_of(name, path, options_.engine);
    if (status.kind == FileKind::Directory) {
      HELVE_TRY(check_snapshot_folder(path, env_));
      HELVE_ASSIGN(auto opened, open_live_snapshot(path, mine, env_));
      const auto state = keep(std::move(budget), std::move(opened));
      // It stays what it is now, as what is read from a file does.
      return make_live_graph([state](const OpContext&) { return NewestState{state}; },
                             std::move(info), {path, &env_})
          ->at_this_moment(context)
          .graph;
    }
    HELVE_ASSIGN(auto snapshot, read(path, mine));
    return make_local_graph(keep(std::move(budget), std::move(snapshot)), std::move(info));
  }

  Result<std::unique_ptr<Builder>> build(const OpContext& context) override {
    return std::make_unique<LocalBuilder>(budget_like(*context.memory), env_.random().next_u64(),
                                          options_.engine);
  }

  Result<void> save(const GraphSource& graph, const std::string& folder,
                    const OpContext& context) override {
    if (const auto snapshot = snapshot_of(graph)) return write(*snapshot, graph, folder, context);
    const auto live = live_snapshot_of(graph);
    if (live == nullptr) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} is no graph in this process", graph.info().name),
                   "read its statements into a graph here, and save that"};
    }
    if (!live->has_changes()) return write(*live->base(), graph, folder, context);
    // An index of its own has no log: what changed is merged.
    HELVE_ASSIGN(const auto scratch, ScratchSpace::create(folder, env_));
    HELVE_ASSIGN(const auto merged, merge_changes(*live, {scratch.get(), context.memory}, context));
    return write(*merged, graph, folder, context);
  }

 private:
  Result<void> write(const Snapshot& snapshot, const GraphSource& graph, const std::string& folder,
                     const OpContext& context) {
    const SnapshotOrigin origin{{graph.info().uri}, options_.engine, {}};
    return write_snapshot(snapshot, origin, folder, context, env_);
  }

  Result<std::shared_ptr<const Snapshot>> read(const std::string& path, const OpContext& context) {
    std::vector<rdf::Document> documents;
    // "-" would be standard input.
    HELVE_ASSIGN(auto document, rdf::open_document(env_, path == "-" ? "./-" : path, {}, context));
    documents.push_back(std::move(document));
    LoadOptions load;
    load.lenient = options_.is_lenient;
    HELVE_ASSIGN(auto loaded, load_documents(std::move(documents), load, context));
    return std::move(loaded.snapshot);
  }

  Env& env_;
  LocalFactoryOptions options_;
};

}  // namespace

std::unique_ptr<GraphFactory> make_local_factory(Env& env, LocalFactoryOptions options) {
  return std::make_unique<LocalFactory>(env, std::move(options));
}

}  // namespace helve::store
