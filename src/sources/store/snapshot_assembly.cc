#include "sources/store/snapshot_assembly.h"

#include <algorithm>
#include <unordered_set>

#include "base/executor.h"
#include "sources/store/dictionary_builder.h"

namespace helve::store {

// Replaces the local terms of the statements by codes.
Result<void> SnapshotAssembly::number_terms() {
  std::vector<std::unique_ptr<TermInterner>> interners;
  std::unordered_set<std::string> names;
  for (const auto& sink : sinks_) {
    interners.push_back(sink->take_interner());
    quads_.push_back(sink->take_quads());
    quad_charges_.push_back(sink->take_charge());
    for (const auto& prefix : sink->prefixes()) {
      if (names.insert(prefix.first).second) prefixes_.push_back(prefix);
    }
  }
  std::sort(prefixes_.begin(), prefixes_.end());
  HELVE_ASSIGN(BuiltDictionary built, build_dictionary(interners, context_));
  dictionary_ = std::move(built.dictionary);
  HELVE_TRY(charge_.add(dictionary_.memory_bytes()));
  const auto default_graph = static_cast<Code>(dictionary_.size());
  HELVE_TRY(parallel_for(quads_.size(), context_, [&](std::size_t i) -> Result<void> {
    const std::vector<Code>& codes = built.codes[i];
    for (CodedQuad& quad : quads_[i]) {
      quad.subject = codes[quad.subject];
      quad.predicate = codes[quad.predicate];
      quad.object = codes[quad.object];
      quad.graph = quad.graph == LoadingSink::kDefaultGraph ? default_graph : codes[quad.graph];
    }
    return {};
  }));
  sinks_.clear();
  return {};
}

Result<void> SnapshotAssembly::sort() {
  HELVE_ASSIGN(indexes_, build_indexes(quads_, static_cast<Code>(dictionary_.size()), context_));
  quads_ = {};
  quad_charges_.clear();
  return {};
}

Result<std::shared_ptr<const Snapshot>> SnapshotAssembly::count() {
  HELVE_ASSIGN(Statistics statistics, compute_statistics(dictionary_, indexes_, context_));
  HELVE_TRY(charge_.add(indexes_.memory_bytes() + statistics.memory_bytes()));
  return std::make_shared<const Snapshot>(std::move(dictionary_), std::move(indexes_),
                                          std::move(statistics), std::move(prefixes_),
                                          std::move(charge_));
}

}  // namespace helve::store
