#include "sources/store/snapshot_rows.h"

#include <algorithm>

namespace helve::store {

void SnapshotRows::visit_objects(Id subject, Id predicate, const Visit& visit) const {
  if (!subject.is_defined() || !predicate.is_defined()) return;
  const auto subject_code = dictionary_.code_of(subject);
  const auto predicate_code = dictionary_.code_of(predicate);
  if (!subject_code || !predicate_code) return;
  const Permutation& spo = snapshot_.indexes()[Order::Spo];
  const RowRange rows = spo.rows_of(*subject_code);
  if (rows.empty()) return;
  const RowRange found = spo.narrow(rows, 1, *predicate_code);
  for (std::uint64_t row = found.first; row < found.last; ++row) {
    const Id object = dictionary_.id_of(spo.at(2, row));
    if (object.is_defined() && !visit(object)) return;
  }
}

// The objects of a property are sorted, and literals are behind all other terms: its first and its
// last one tell.
SchemaRows::ObjectKinds SnapshotRows::object_kinds(Id predicate) const {
  const auto code = dictionary_.code_of(predicate);
  if (!code) return {};
  const Permutation& pos = snapshot_.indexes()[Order::Pos];
  const RowRange rows = pos.rows_of(*code);
  if (rows.empty()) return {};
  const Code literals = dictionary_.codes_of(Tag::String).first;
  return {pos.at(1, rows.first) < literals, pos.at(1, rows.last - 1) >= literals};
}

std::vector<SchemaRows::Ends> SnapshotRows::sample(Id predicate, std::size_t samples) const {
  std::vector<Ends> ends;
  const auto code = dictionary_.code_of(predicate);
  if (!code) return ends;
  const Permutation& pso = snapshot_.indexes()[Order::Pso];
  const RowRange rows = pso.rows_of(*code);
  const std::uint64_t taken = std::min<std::uint64_t>(samples, rows.size());
  ends.reserve(taken);
  for (std::uint64_t i = 0; i < taken; ++i) {
    const std::uint64_t row = rows.first + i * rows.size() / taken;
    ends.push_back({dictionary_.id_of(pso.at(1, row)), dictionary_.id_of(pso.at(2, row))});
  }
  return ends;
}

}  // namespace helve::store
