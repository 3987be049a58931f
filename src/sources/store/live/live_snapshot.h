// LiveSnapshot: one state of a store that changes, as the evaluator sees it: a base, and a delta
// that is merged with it as it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sources/sparql/engine/dataset.h"
#include "sources/store/live/delta.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Immutable; thread-safe.
class LiveSnapshot final : public sparql::Snapshot {
 public:
  LiveSnapshot(std::shared_ptr<const store::Snapshot> base, std::shared_ptr<const Delta> delta);
  // Without any change.
  explicit LiveSnapshot(const std::shared_ptr<const store::Snapshot>& base);

  const std::shared_ptr<const store::Snapshot>& base() const { return base_; }
  const Delta& delta() const { return *delta_; }
  bool has_changes() const { return !delta_->is_empty(); }
  // Of the transactions since the store was made; survives compaction.
  std::uint64_t version() const { return delta_->version; }
  // Changes with every transaction that changed something.
  std::string fingerprint() const;
  // Whether there is a named graph, be it empty.
  bool has_graph(Id graph) const;
  // Statements of a graph; undefined: the default graph.
  std::uint64_t statements_of(Id graph) const;
  std::uint64_t statements() const;
  // All exact, but without characteristic sets.
  Statistics statistics() const;
  // Instances of a class, as statistics() has them.
  std::uint64_t instances_of(Id type) const;
  bool contains(const Quad& quad) const;
  // Whether changes fall on the pattern's triples, in any graph.
  bool is_touched(const QuadPattern& pattern) const;
  // Whether a triple stands in several graphs.
  bool has_repeated_triples() const;
  // Quads of the pattern's triples in all graphs.
  std::uint64_t quads(const QuadPattern& pattern) const;

  std::optional<Id> find(const rdf::TermView& term) const override;
  rdf::TermView term(Id id, std::string& scratch) const override;
  std::string_view qualifier(Id id) const override;
  bool is_in_string_order(rdf::Tag tag) const override;
  Count count(const QuadPattern& pattern) const override;
  std::unique_ptr<sparql::Scan> scan(const QuadPattern& pattern, std::optional<Order> preferred,
                                     Parts wanted) const override;
  bool can_scan_in_parts() const override { return true; }
  void sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const override;
  std::unique_ptr<sparql::Lookup> lookup(sparql::LookupKind kind, Parts wanted) const override;
  std::unique_ptr<sparql::Intersection> intersect(std::span<const Part> free) const override;
  std::unique_ptr<sparql::GroupScan> groups(const QuadPattern& pattern, Part by) const override;
  std::vector<Id> named_graphs() const override;
  std::optional<sparql::PredicateCounts> predicate_counts(Id predicate) const override;
  std::vector<sparql::PredicateCounts> all_predicate_counts() const override;
  std::optional<sparql::StarCounts> star_counts(std::span<const Id> predicates) const override;
  std::uint64_t triples() const override;
  const std::vector<std::pair<std::string, std::string>>& prefixes() const override {
    return base_->prefixes();
  }
  std::optional<Error> failure() const override { return base_->failure(); }

 private:
  bool is_of_base(Id id) const;
  bool is_of_base(const QuadPattern& pattern) const;
  void remove_changed(const GraphChoice& graph, QuadBatch& batch) const;

  std::shared_ptr<const store::Snapshot> base_;
  std::shared_ptr<const sparql::Snapshot> base_data_;
  std::shared_ptr<const Delta> delta_;
};

}  // namespace helve::store
