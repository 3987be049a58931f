#include "sources/store/live/live_rows.h"

#include <algorithm>
#include <array>

#include "sources/store/live/merged_rows.h"

namespace helve::store {

void LiveRows::visit_objects(Id subject, Id predicate, const Visit& visit) const {
  if (!subject.is_defined() || !predicate.is_defined()) return;
  const std::array<Id, 2> prefix = {subject, predicate};
  if (!snapshot_.delta()[Order::Spo].has_any(KeyRange::of_prefix(prefix))) {
    base_.visit_objects(subject, predicate, visit);
    return;
  }
  MergedRows rows(snapshot_, Order::Spo, prefix);
  for (std::uint64_t rank = 0; rank < rows.size(); ++rank) {
    if (!visit(rows.at(rank)[0])) return;
  }
}

// Literals are behind all other terms, by code and by id.
SchemaRows::ObjectKinds LiveRows::object_kinds(Id predicate) const {
  const Snapshot& base = *snapshot_.base();
  RowRange rows;
  std::uint64_t middle = 0;
  if (const auto code = base.dictionary().code_of(predicate)) {
    const Permutation& pos = base.indexes()[Order::Pos];
    rows = pos.rows_of(*code);
    middle = rows.first;
    if (!rows.empty()) middle = pos.seek(rows, 1, base.dictionary().codes_of(Tag::String).first);
  }
  const KeyRange all = KeyRange::of_prefix({&predicate, 1});
  const QuadKey first_literal{{predicate, Id(Tag::String, 0)}};
  const QuadTree& changes = snapshot_.delta()[Order::Pos];
  const EntryCounts resources = changes.counts({all.first, first_literal});
  const EntryCounts literals = changes.counts({first_literal, all.last});
  return {middle - rows.first + resources.added > resources.removed,
          rows.last - middle + literals.added > literals.removed};
}

std::vector<SchemaRows::Ends> LiveRows::sample(Id predicate, std::size_t samples) const {
  const KeyRange changes = KeyRange::of_prefix({&predicate, 1});
  if (!snapshot_.delta()[Order::Pso].has_any(changes)) return base_.sample(predicate, samples);
  MergedRows rows(snapshot_, Order::Pso, {&predicate, 1});
  const std::uint64_t taken = std::min<std::uint64_t>(samples, rows.size());
  std::vector<Ends> ends;
  ends.reserve(taken);
  for (std::uint64_t i = 0; i < taken; ++i) {
    const auto [subject, object] = rows.at(i * rows.size() / taken);
    ends.push_back({subject, object});
  }
  return ends;
}

}  // namespace helve::store
