// The store's side of sparql::Snapshot: every call is handed on.
#include "sources/store/dataset.h"

#include <algorithm>
#include <utility>

#include "sources/store/lookup.h"

namespace helve::store {

namespace {

class StoreScan final : public sparql::Scan {
 public:
  StoreScan(const Snapshot& snapshot, const QuadPattern& pattern, std::optional<Order> preferred,
            Parts wanted)
      : snapshot_(snapshot),
        preferred_(preferred),
        wanted_(wanted),
        scan_(snapshot.scan(pattern, preferred, wanted)) {}

  void restart(const QuadPattern& pattern) override {
    scan_ = snapshot_.scan(pattern, preferred_, wanted_);
  }
  void restart_part(const QuadPattern& pattern, std::uint32_t part, std::uint32_t parts) override {
    scan_ = snapshot_.scan(pattern, preferred_, wanted_);
    scan_.keep_part(part, parts);
  }
  bool next(QuadBatch& batch, std::size_t rows_max) override { return scan_.next(batch, rows_max); }
  Order order() const override { return scan_.order(); }

 private:
  const Snapshot& snapshot_;
  std::optional<Order> preferred_;
  Parts wanted_;
  store::Scan scan_;
};

class StoreSnapshot final : public sparql::Snapshot {
 public:
  explicit StoreSnapshot(std::shared_ptr<const store::Snapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}

  std::optional<Id> find(const rdf::TermView& term) const override {
    return snapshot_->dictionary().find(term);
  }
  rdf::TermView term(Id id, std::string& scratch) const override {
    return snapshot_->dictionary().term(id, scratch);
  }
  std::string_view qualifier(Id id) const override { return snapshot_->dictionary().qualifier(id); }
  bool is_in_string_order(rdf::Tag tag) const override {
    return tag >= Tag::Iri && tag <= Tag::TypedLiteral;
  }
  Count count(const QuadPattern& pattern) const override { return snapshot_->count(pattern); }
  std::unique_ptr<sparql::Scan> scan(const QuadPattern& pattern, std::optional<Order> preferred,
                                     Parts wanted) const override {
    return std::make_unique<StoreScan>(*snapshot_, pattern, preferred, wanted);
  }
  bool can_scan_in_parts() const override { return true; }
  void sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const override {
    snapshot_->sample(pattern, rows_max, batch);
  }
  std::unique_ptr<sparql::Lookup> lookup(sparql::LookupKind kind, Parts wanted) const override {
    return make_lookup(*snapshot_, kind, wanted);
  }
  std::unique_ptr<sparql::Intersection> intersect(std::span<const Part> free) const override {
    return make_intersection(*snapshot_, free);
  }
  std::unique_ptr<sparql::GroupScan> groups(const QuadPattern& pattern, Part by) const override {
    return make_group_scan(*snapshot_, pattern, by);
  }
  std::vector<Id> named_graphs() const override {
    std::vector<Id> graphs;
    for (const GraphStatistics& graph : snapshot_->statistics().graphs) {
      if (graph.graph.is_defined()) graphs.push_back(graph.graph);
    }
    return graphs;
  }
  std::optional<sparql::PredicateCounts> predicate_counts(Id predicate) const override {
    const auto& all = snapshot_->statistics().predicates;
    const auto found =
        std::lower_bound(all.begin(), all.end(), predicate,
                         [](const PredicateStatistics& row, Id id) { return row.predicate < id; });
    if (found == all.end() || found->predicate != predicate) return std::nullopt;
    return sparql::PredicateCounts{predicate, found->triples, found->distinct_subjects,
                                   found->distinct_objects};
  }
  std::vector<sparql::PredicateCounts> all_predicate_counts() const override {
    std::vector<sparql::PredicateCounts> counts;
    for (const PredicateStatistics& row : snapshot_->statistics().predicates) {
      counts.push_back({row.predicate, row.triples, row.distinct_subjects, row.distinct_objects});
    }
    return counts;
  }
  std::optional<sparql::StarCounts> star_counts(std::span<const Id> predicates) const override {
    std::vector<Code> codes;
    codes.reserve(predicates.size());
    for (const Id predicate : predicates) {
      if (predicate.tag() != Tag::Iri || !snapshot_->dictionary().has(predicate)) {
        return sparql::StarCounts{};
      }
      codes.push_back(*snapshot_->dictionary().code_of(predicate));
    }
    return snapshot_->statistics().characteristic_sets.star_counts(codes);
  }
  std::uint64_t triples() const override { return snapshot_->statistics().triples; }
  const std::vector<std::pair<std::string, std::string>>& prefixes() const override {
    return snapshot_->prefixes();
  }
  std::optional<Error> failure() const override { return snapshot_->failure(); }

 private:
  std::shared_ptr<const store::Snapshot> snapshot_;
};

}  // namespace

std::shared_ptr<const sparql::Snapshot> as_dataset(std::shared_ptr<const Snapshot> snapshot) {
  return std::make_shared<StoreSnapshot>(std::move(snapshot));
}

}  // namespace helve::store
