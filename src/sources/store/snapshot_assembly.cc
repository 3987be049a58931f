#include "sources/store/snapshot_assembly.h"

#include <algorithm>
#include <unordered_set>

#include "base/executor.h"
#include "sources/store/dictionary_builder.h"

namespace helve::store {

Prefixes gather_prefixes(const std::vector<std::unique_ptr<LoadingSink>>& sinks) {
  Prefixes prefixes;
  std::unordered_set<std::string> names;
  for (const auto& sink : sinks) {
    for (const auto& prefix : sink->prefixes()) {
      if (names.insert(prefix.first).second) prefixes.push_back(prefix);
    }
  }
  std::sort(prefixes.begin(), prefixes.end());
  return prefixes;
}

bool fits_in_memory(const std::vector<std::unique_ptr<LoadingSink>>& sinks,
                    const OpContext& context) {
  std::size_t quads = 0;
  std::size_t terms = 0;
  std::size_t text_bytes = 0;
  bool has_named_graphs = false;
  for (const auto& sink : sinks) {
    quads += sink->quads();
    terms += sink->terms();
    has_named_graphs = has_named_graphs || sink->has_named_graphs();
    for (const InternedTerm& term : sink->interner().terms()) text_bytes += term.length;
  }
  // The statements as they are, a dictionary, and first what sorts the terms, then the statements.
  const std::size_t held = context.memory->bytes_used() + text_bytes;
  const std::size_t more =
      std::max(build_dictionary_bytes(terms), build_indexes_bytes(quads, terms, has_named_graphs));
  return held + more <= context.memory->bytes_max();
}

// Replaces the local terms of the statements by codes.
Result<void> SnapshotAssembly::number_terms() {
  std::vector<std::unique_ptr<TermInterner>> interners;
  prefixes_ = gather_prefixes(sinks_);
  for (const auto& sink : sinks_) {
    interners.push_back(sink->take_interner());
    quads_.push_back(sink->take_quads());
    quad_charges_.push_back(sink->take_charge());
  }
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
