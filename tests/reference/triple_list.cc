#include "tests/reference/triple_list.h"

#include <algorithm>
#include <memory>

namespace helve::reference {

using sparql::GraphChoice;
using sparql::Part;

void TripleList::add(const Triple& triple) {
  const auto& same_subject = by_term_[0][triple[0].bits()];
  const auto is_same = [&](std::uint32_t i) { return triples_[i] == triple; };
  if (std::any_of(same_subject.begin(), same_subject.end(), is_same)) return;
  for (const std::size_t place : {0U, 2U}) {
    const std::uint64_t bits = triple[place].bits();
    const bool is_known = !by_term_[0][bits].empty() || !by_term_[2][bits].empty();
    const bool is_subject_again = place == 2 && triple[0] == triple[2];
    if (!is_known && !is_subject_again) nodes_.push_back(triple[place]);
  }
  for (std::size_t place = 0; place < 3; ++place) {
    by_term_[place][triple[place].bits()].push_back(static_cast<std::uint32_t>(triples_.size()));
  }
  triples_.push_back(triple);
}

void TripleList::for_each(const Triple& pattern,
                          const std::function<void(const Triple&)>& visit) const {
  const auto matches = [&](const Triple& triple) {
    for (std::size_t place = 0; place < 3; ++place) {
      if (pattern[place].is_defined() && pattern[place] != triple[place]) return false;
    }
    return true;
  };
  for (const std::size_t place : {0U, 2U, 1U}) {
    if (!pattern[place].is_defined()) continue;
    const auto found = by_term_[place].find(pattern[place].bits());
    if (found == by_term_[place].end()) return;
    for (const std::uint32_t i : found->second) {
      if (matches(triples_[i])) visit(triples_[i]);
    }
    return;
  }
  for (const Triple& triple : triples_) visit(triple);
}

const TripleList* ReferenceDataset::find(Id name) const {
  for (const auto& [id, graph] : named) {
    if (id == name) return &graph;
  }
  return nullptr;
}

namespace {

void add_graph(const sparql::Snapshot& snapshot, const GraphChoice& choice, TripleList& out) {
  const auto scan = snapshot.scan({Id(), Id(), Id(), choice});
  sparql::QuadBatch batch;
  while (scan->next(batch, sparql::QuadBatch::kRows)) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      out.add({batch[Part::Subject][row], batch[Part::Predicate][row], batch[Part::Object][row]});
    }
  }
}

}  // namespace

ReferenceDataset dataset_of(const std::vector<sparql::DatasetGraph>& clauses,
                            const sparql::Snapshot& snapshot, bool is_union_default) {
  using Kind = GraphChoice::Kind;
  ReferenceDataset out;
  const auto add_named = [&](Id name) {
    if (out.find(name) != nullptr) return;
    out.named.emplace_back(name, TripleList());
    add_graph(snapshot, {Kind::One, name}, out.named.back().second);
  };
  for (const sparql::DatasetGraph& clause : clauses) {
    const auto name = snapshot.find(rdf::TermView::iri(clause.iri));
    if (!name) continue;
    if (clause.is_named) {
      add_named(*name);
    } else {
      add_graph(snapshot, {Kind::One, *name}, out.default_graph);
    }
  }
  if (!clauses.empty()) return out;
  for (const Id name : snapshot.named_graphs()) add_named(name);
  add_graph(snapshot, {is_union_default ? Kind::Union : Kind::Default, Id()}, out.default_graph);
  return out;
}

}  // namespace helve::reference
