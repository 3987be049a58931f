#include "surfaces/serve/live_graph.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sources/store/live/live_snapshot.h"
#include "sources/store/local_graph.h"

namespace helve::serve {

namespace {

using store::LiveStore;

WriteReport report_of(const store::CommitReport& commit, bool was_there) {
  return {commit.added, commit.removed, commit.version, was_there};
}

class LiveGraph final : public GraphWriter {
 public:
  LiveGraph(std::shared_ptr<LiveStore> store, SourceInfo info, store::DocumentLoader load)
      : store_(std::move(store)), info_(std::move(info)), load_(std::move(load)) {}

  GraphState state() const override {
    auto snapshot = store_->snapshot();
    GraphState state;
    state.source = source_of(*snapshot);
    state.version = snapshot->version();
    state.fingerprint = fingerprint_of(*snapshot);
    state.data = std::move(snapshot);
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
  // The same after the store was compacted: what clients have read is still what is there.
  std::string fingerprint_of(const store::LiveSnapshot& snapshot) const {
    const std::lock_guard lock(mutex_);
    if (known_ && snapshot.version() == known_->first) return known_->second;
    std::string made = snapshot.fingerprint();
    if (!known_ || snapshot.version() > known_->first) known_.emplace(snapshot.version(), made);
    return made;
  }

  // Of a base without changes, whose statistics are all there; made once for each. Null for others:
  // no base is kept that the store has left.
  std::shared_ptr<const GraphSource> source_of(const store::LiveSnapshot& snapshot) const {
    const std::lock_guard lock(mutex_);
    if (source_ != nullptr && store::snapshot_of(*source_) != snapshot.base()) source_ = nullptr;
    if (snapshot.has_changes()) return nullptr;
    if (source_ == nullptr) {
      auto made = store::make_local_graph(snapshot.base(), info_);
      if (made) source_ = *std::move(made);
    }
    return source_;
  }

  const std::shared_ptr<LiveStore> store_;
  const SourceInfo info_;
  const store::DocumentLoader load_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const GraphSource> source_;
  mutable std::optional<std::pair<std::uint64_t, std::string>> known_;  // version, fingerprint
};

}  // namespace

std::shared_ptr<GraphWriter> make_live_graph(std::shared_ptr<LiveStore> store, SourceInfo info,
                                             store::DocumentLoader load) {
  return std::make_shared<LiveGraph>(std::move(store), std::move(info), std::move(load));
}

}  // namespace helve::serve
