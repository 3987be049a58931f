#include "sources/store/live/live_names.h"

#include <algorithm>

namespace helve::store {

namespace {

std::uint64_t count_of_hit(const NameHit& hit, const LiveSnapshot& snapshot) {
  const auto id = snapshot.find(rdf::TermView::iri(hit.iri));
  if (!id) return 0;
  if (hit.kind == NameKind::Property) {
    const auto counts = snapshot.predicate_counts(*id);
    return counts ? counts->triples : 0;
  }
  if (hit.kind == NameKind::Class) return snapshot.instances_of(*id);
  return snapshot.quads({*id, {}, {}, kAllGraphs});
}

}  // namespace

std::vector<NameHit> merge_names(const std::vector<NameHit>& base, std::vector<NameHit> near,
                                 const LiveSnapshot& snapshot, const Vicinity& vicinity,
                                 std::size_t hits_max) {
  std::vector<NameHit> hits;
  for (const NameHit& hit : base) {
    if (vicinity.touched.count(hit.iri) == 0) hits.push_back(hit);
  }
  for (NameHit& hit : near) {
    // The vicinity has others too, for what they are to those that changed.
    if (vicinity.touched.count(hit.iri) == 0) continue;
    hit.count = count_of_hit(hit, snapshot);
    const auto id = snapshot.find(rdf::TermView::iri(hit.iri));
    const bool is_there = id && (hit.count > 0 || snapshot.quads({*id, {}, {}, kAllGraphs}) > 0 ||
                                 snapshot.quads({{}, {}, *id, kAllGraphs}) > 0);
    if (is_there) hits.push_back(std::move(hit));
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const NameHit& a, const NameHit& b) { return a.score > b.score; });
  if (hits.size() > hits_max) hits.resize(hits_max);
  return hits;
}

}  // namespace helve::store
