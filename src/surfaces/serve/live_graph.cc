#include "surfaces/serve/live_graph.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sources/store/live/live_snapshot.h"

namespace helve::serve {

namespace {

using store::LiveStore;

WriteReport report_of(const store::CommitReport& commit, bool was_there) {
  return {commit.added, commit.removed, commit.version, was_there};
}

class LiveGraph final : public GraphWriter {
 public:
  LiveGraph(const std::shared_ptr<LiveStore>& store, SourceInfo info, store::DocumentLoader load)
      : store_(store),
        states_(follow_states(
            [store](const OpContext&) { return store::NewestState{store->snapshot()}; },
            std::move(info))),
        load_(std::move(load)) {}

  GraphState state() const override {
    GraphState state = states_(OpContext());
    keep_fingerprint(state);
    return state;
  }

  Result<WriteReport> update(const sparql::Update& update, const UpdateSettings& settings,
                             const OpContext& op) override {
    store::UpdateOptions options;
    options.is_union_default = settings.is_union;
    options.using_graphs = settings.using_graphs;
    options.load = load_;
    HELVE_ASSIGN(const auto commit, store_->update(update, options, op));
    return report_of(commit, true);
  }

  Result<WriteReport> write_graph(const std::string& graph, Mode mode, rdf::Document& document,
                                  const std::string& base_iri, const OpContext& op) override {
    const auto how =
        mode == Mode::Replace ? LiveStore::GraphWrite::Replace : LiveStore::GraphWrite::Merge;
    HELVE_ASSIGN(const auto report, store_->write_graph(graph, how, document, base_iri, op));
    return report_of(report.commit, report.was_there);
  }

  Result<WriteReport> drop_graph(const std::string& graph, const OpContext& op) override {
    HELVE_ASSIGN(const auto report, store_->drop_graph(graph, op));
    return report_of(report.commit, report.was_there);
  }

 private:
  // The same after the store was compacted: what clients have read is still what is there. Only
  // this process writes, so that a version is one state.
  void keep_fingerprint(GraphState& state) const {
    const std::lock_guard lock(mutex_);
    if (known_ && state.version == known_->first) {
      state.fingerprint = known_->second;
    } else if (!known_ || state.version > known_->first) {
      known_.emplace(state.version, state.fingerprint);
    }
  }

  const std::shared_ptr<LiveStore> store_;
  const StateReader states_;
  const store::DocumentLoader load_;
  mutable std::mutex mutex_;
  mutable std::optional<std::pair<std::uint64_t, std::string>> known_;  // version, fingerprint
};

}  // namespace

StateReader follow_states(store::StateSource states, SourceInfo info) {
  return [live = store::make_live_graph(std::move(states), std::move(info))](
             const OpContext& context) {
    GraphState state;
    state.source = live->at_this_moment(context).graph;
    const auto snapshot = store::live_snapshot_of(*state.source);
    state.version = snapshot->version();
    state.fingerprint = state.source->fingerprint();
    state.data = snapshot;
    return state;
  };
}

std::shared_ptr<GraphWriter> make_live_graph(const std::shared_ptr<LiveStore>& store,
                                             SourceInfo info, store::DocumentLoader load) {
  return std::make_shared<LiveGraph>(store, std::move(info), std::move(load));
}

}  // namespace helve::serve
