#include "sources/store/live/live_graph.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/text.h"
#include "sources/store/engine_graph.h"
#include "sources/store/live/live_names.h"
#include "sources/store/live/live_schema.h"
#include "sources/store/live/vicinity.h"
#include "sources/store/local_lazy.h"
#include "sources/store/text_index_search.h"
#include "sources/triple_reader.h"

namespace helve::store {

namespace {

// One state, which stays, and what was made of it.
class MomentGraph final : public EngineGraph, public TripleReader {
 public:
  MomentGraph(std::shared_ptr<const LiveSnapshot> snapshot, std::shared_ptr<const GraphSource> base,
              std::shared_ptr<sparql::ServiceResolver> services)
      : EngineGraph(std::move(services)),
        snapshot_(std::move(snapshot)),
        base_(std::move(base)),
        fingerprint_(snapshot_->fingerprint()) {}

  const std::shared_ptr<const LiveSnapshot>& snapshot() const { return snapshot_; }
  const std::shared_ptr<const GraphSource>& base() const { return base_; }

  const SourceInfo& info() const override { return base_->info(); }
  std::string fingerprint() const override { return fingerprint_; }
  PrefixList prefixes() const override { return snapshot_->prefixes(); }

  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    if (!snapshot_->has_changes()) return base_->schema(context);
    return schema_.get(context, [&]() -> Result<std::shared_ptr<const GraphSchema>> {
      HELVE_ASSIGN(const auto base, base_->schema(context));
      HELVE_ASSIGN(auto made, make_live_schema(*base, *snapshot_, context));
      return std::make_shared<const GraphSchema>(std::move(made));
    });
  }

  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    if (!snapshot_->has_changes()) return base_->find(request, context);
    HELVE_ASSIGN(const auto near, near_graph(context));
    // Better no names than some of them, taken for all.
    if (!near->vicinity.is_complete) return too_many_changes();
    HELVE_ASSIGN(const auto of_base, find_in_base(request, near->vicinity, context));
    HELVE_ASSIGN(auto of_changes, near->graph->find(request, context));
    return merge_names(of_base, std::move(of_changes), *snapshot_, near->vicinity,
                       request.hits_max);
  }

  Id find_iri(std::string_view iri) const override {
    return snapshot_->find(rdf::TermView::iri(iri)).value_or(Id());
  }
  rdf::TermView read_term(Id id, std::string& scratch) const override {
    return snapshot_->term(id, scratch);
  }
  Result<bool> read_triples(const TripleIds& known, std::uint64_t most,
                            std::vector<TripleIds>& triples,
                            const OpContext& context) const override {
    const auto scan = snapshot_->scan({known.subject, known.predicate, known.object, kAllGraphs},
                                      std::nullopt, sparql::kTripleParts);
    QuadBatch batch;
    std::uint64_t taken = 0;
    while (scan->next(batch, QuadBatch::kRows)) {
      HELVE_TRY(context.check());
      for (std::size_t row = 0; row < batch.rows; ++row) {
        if (taken++ == most) return ended(true);
        triples.push_back(
            {batch[Part::Subject][row], batch[Part::Predicate][row], batch[Part::Object][row]});
      }
    }
    return ended(false);
  }
  Result<bool> count_by_object(Id predicate, std::uint64_t most, std::vector<ObjectCount>& counts,
                               const OpContext& context) const override {
    const auto scan =
        snapshot_->scan({{}, predicate, {}, kAllGraphs}, Order::Pos, sparql::bit(Part::Object));
    QuadBatch batch;
    const std::size_t first = counts.size();
    while (scan->next(batch, QuadBatch::kRows)) {
      HELVE_TRY(context.check());
      for (std::size_t row = 0; row < batch.rows; ++row) {
        const Id object = batch[Part::Object][row];
        if (counts.size() > first && counts.back().first == object) {
          ++counts.back().second;
          continue;
        }
        if (counts.size() - first == most) return ended(true);
        counts.emplace_back(object, 1);
      }
    }
    return ended(false);
  }

 private:
  static Error too_many_changes() {
    return {ErrorCode::Unavailable,
            fmt::format("more than {} things changed since the index was compacted, or most that "
                        "have such a name: names are not told by halves",
                        format_count(kTouchedMax)),
            "helve index compact DIR merges the changes; SPARQL queries see all of them"};
  }

  // As many hits that no change falls on as were asked for, or all there are.
  Result<std::vector<NameHit>> find_in_base(const FindRequest& request, const Vicinity& vicinity,
                                            const OpContext& context) const {
    FindRequest more = request;
    for (std::size_t most = request.hits_max * 2 + 20;; most *= 4) {
      more.hits_max = std::min(most, kHitsMax);
      HELVE_ASSIGN(auto hits, base_->find(more, context));
      const bool is_all = hits.size() < more.hits_max;
      std::erase_if(hits, [&](const NameHit& hit) { return vicinity.touched.contains(hit.iri); });
      if (is_all || hits.size() >= std::min(request.hits_max, kHitsMax)) return hits;
      if (most >= kHitsMax) return too_many_changes();
    }
  }

  struct Near {
    Vicinity vicinity;
    std::shared_ptr<const GraphSource> graph;
  };

  // What was read from damaged data is not handed out.
  Result<bool> ended(bool has_more) const {
    if (auto failure = snapshot_->failure()) return *std::move(failure);
    return has_more;
  }

  std::shared_ptr<const sparql::Snapshot> data() const override { return snapshot_; }

  Result<std::shared_ptr<const Near>> near_graph(const OpContext& context) const {
    return near_.get(context, [&]() -> Result<std::shared_ptr<const Near>> {
      // It outlives the call.
      OpContext mine = context;
      mine.memory = &process_memory();
      Near near;
      HELVE_ASSIGN(near.vicinity, make_vicinity(*snapshot_, mine));
      HELVE_ASSIGN(near.graph, make_local_graph(near.vicinity.snapshot, base_->info()));
      return std::make_shared<const Near>(std::move(near));
    });
  }

  std::shared_ptr<const LiveSnapshot> snapshot_;
  std::shared_ptr<const GraphSource> base_;
  std::string fingerprint_;
  mutable Lazy<GraphSchema> schema_;
  mutable Lazy<Near> near_;
};

class LiveGraph final : public GraphSource {
 public:
  LiveGraph(StateSource states, SourceInfo info, LocalFolder folder,
            std::shared_ptr<sparql::ServiceResolver> services)
      : states_(std::move(states)),
        info_(std::move(info)),
        folder_(std::move(folder)),
        services_(std::move(services)) {}

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override { return now({})->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    return now(context)->run(query, rows_max, sink, context);
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    return now(context)->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    return now(context)->count_upto(pattern, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    return now(context)->explain(query, context);
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    return now(context)->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    return now(context)->find(request, context);
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    return now(context)->schema(context);
  }
  PrefixList prefixes() const override { return now({})->prefixes(); }
  Moment at_this_moment(const OpContext& context) const override {
    NewestState newest = states_(context);
    const std::lock_guard lock(mutex_);
    staleness_ = newest.staleness;
    return {moment_of(std::move(newest.snapshot)), std::move(newest.staleness)};
  }
  std::optional<Staleness> staleness() const override {
    const std::lock_guard lock(mutex_);
    return staleness_;
  }

 private:
  std::shared_ptr<const GraphSource> now(const OpContext& context) const {
    return at_this_moment(context).graph;
  }

  // REQUIRES: mutex_.
  std::shared_ptr<const MomentGraph> moment_of(std::shared_ptr<const LiveSnapshot> snapshot) const {
    if (moment_ != nullptr && moment_->snapshot() == snapshot) return moment_;
    const bool has_base = moment_ != nullptr && moment_->snapshot()->base() == snapshot->base();
    auto base = has_base ? moment_->base() : *make_local_graph(snapshot->base(), info_, folder_);
    moment_ = std::make_shared<const MomentGraph>(std::move(snapshot), std::move(base), services_);
    return moment_;
  }

  StateSource states_;
  SourceInfo info_;
  LocalFolder folder_;
  std::shared_ptr<sparql::ServiceResolver> services_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MomentGraph> moment_;
  mutable std::optional<Staleness> staleness_;  // of the last who asked
};

}  // namespace

std::shared_ptr<const GraphSource> make_live_graph(
    StateSource states, SourceInfo info, LocalFolder folder,
    std::shared_ptr<sparql::ServiceResolver> services) {
  return std::make_shared<const LiveGraph>(std::move(states), std::move(info), std::move(folder),
                                           std::move(services));
}

std::shared_ptr<const LiveSnapshot> live_snapshot_of(const GraphSource& graph) {
  if (const auto* const moment = dynamic_cast<const MomentGraph*>(&graph)) {
    return moment->snapshot();
  }
  const auto* const live = dynamic_cast<const LiveGraph*>(&graph);
  return live != nullptr ? live_snapshot_of(*live->at_this_moment(OpContext()).graph) : nullptr;
}

}  // namespace helve::store
