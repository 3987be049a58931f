#include "sources/sparql/engine/triple_scan.h"

namespace helve::sparql {

namespace {

bool is_in_data(Id id) { return id.tag() != rdf::Tag::Local; }

GraphChoice choice_of(const GraphScope& scope) {
  using Kind = GraphChoice::Kind;
  switch (scope.kind) {
    case GraphScope::Kind::Default:
      return {Kind::Default, {}};
    case GraphScope::Kind::Union:
      return {Kind::Union, {}};
    case GraphScope::Kind::One:
    case GraphScope::Kind::Merged:
      break;
  }
  return {Kind::One, scope.graph};
}

// One of GraphScope::merged.
GraphChoice merged_choice(Id graph) {
  if (!graph.is_defined()) return {GraphChoice::Kind::Default, {}};
  return {GraphChoice::Kind::One, graph};
}

}  // namespace

std::uint64_t count_triples(const Snapshot& data, const GraphScope& scope, Id subject, Id predicate,
                            Id object) {
  if (!is_in_data(subject) || !is_in_data(predicate) || !is_in_data(object)) return 0;
  if (scope.kind != GraphScope::Kind::Merged) {
    // Before GRAPH ?g has met its first graph: any of them.
    const GraphChoice choice = scope.kind == GraphScope::Kind::One && !scope.graph.is_defined()
                                   ? GraphChoice{GraphChoice::Kind::Named, {}}
                                   : choice_of(scope);
    return data.count({subject, predicate, object, choice}).n;
  }
  std::uint64_t count = 0;
  for (const Id graph : scope.merged) {
    count += data.count({subject, predicate, object, merged_choice(graph)}).n;
  }
  return count;
}

TripleScan::TripleScan(const Snapshot& data, const GraphScope& scope)
    : data_(data), scope_(scope) {}

void TripleScan::start(Id subject, Id predicate, Id object) {
  is_empty_ = !is_in_data(subject) || !is_in_data(predicate) || !is_in_data(object);
  if (scope_.kind == GraphScope::Kind::Merged && scope_.merged.empty()) is_empty_ = true;
  if (is_empty_) return;
  pattern_ = {subject, predicate, object, choice_of(scope_)};
  merged_ = 0;
  if (scope_.kind == GraphScope::Kind::Merged)
    pattern_.graph = merged_choice(scope_.merged.front());
  if (scan_ == nullptr) {
    scan_ = data_.scan(pattern_);
  } else {
    scan_->restart(pattern_);
  }
}

bool TripleScan::next(QuadBatch& batch, std::size_t rows_max) {
  if (is_empty_) return false;
  if (scope_.kind == GraphScope::Kind::Merged) return next_merged(batch, rows_max);
  return scan_->next(batch, rows_max);
}

bool TripleScan::next_merged(QuadBatch& batch, std::size_t rows_max) {
  while (true) {
    while (scan_->next(batch, rows_max)) {
      if (merged_ > 0) drop_repeated(batch);
      if (batch.rows > 0) return true;
    }
    if (++merged_ >= scope_.merged.size()) return false;
    pattern_.graph = merged_choice(scope_.merged[merged_]);
    scan_->restart(pattern_);
  }
}

// Triples that an earlier graph has too.
void TripleScan::drop_repeated(QuadBatch& batch) const {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    bool is_repeated = false;
    for (std::size_t earlier = 0; earlier < merged_ && !is_repeated; ++earlier) {
      is_repeated = data_
                        .count({batch[Part::Subject][row], batch[Part::Predicate][row],
                                batch[Part::Object][row], merged_choice(scope_.merged[earlier])})
                        .n > 0;
    }
    if (is_repeated) continue;
    for (std::size_t part = 0; part < 3; ++part) {
      batch.columns[part][kept] = batch.columns[part][row];
    }
    ++kept;
  }
  for (std::size_t part = 0; part < 3; ++part) batch.columns[part].resize(kept);
  batch.rows = kept;
}

}  // namespace helve::sparql
