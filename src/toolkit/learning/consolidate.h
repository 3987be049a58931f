// Keeping a bank clean: items that say the same become one, and a bank that is full lets the least
// useful go. Both make a plan first, which can be looked at; every step can be undone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/repository.h"

namespace helve::learning {

struct ConsolidationOptions {
  bool is_enabled = true;
  double title_similarity_min = 0.5;
  double content_similarity_min = 0.8;
  std::size_t neighbours_max = 100;  // candidates that are looked at for one item
  std::size_t items_max = 200'000;   // that are looked at; the rest waits for the next time
};

struct Similarity {
  double title = 0;             // share of common words
  double content = 0;           // share of common sequences of three words
  bool has_same_names = false;  // numbers, and names with a colon, a line or a digit in them
};
Similarity similarity_of(const memory::Item& left, const memory::Item& right);
// The same polarity, domain, scope and names, and similar beyond both thresholds.
bool are_near_duplicates(const memory::Item& left, const memory::Item& right,
                         const ConsolidationOptions& options, Similarity& similarity);

struct MergePair {
  std::string superseded;
  std::string by;
  Similarity similarity;
};

struct ConsolidationPlan {
  std::vector<MergePair> pairs;   // no item is superseded twice, or stays and is superseded
  std::uint64_t items = 0;        // looked at
  std::uint64_t comparisons = 0;  // of whole texts
  bool is_complete = true;        // false: items_max ended it
};

// What stays of several is: active before quarantined, verified later, of more use, older. The same
// bank gives the same plan. Cost: one search for each item. With is_enabled false it is empty.
Result<ConsolidationPlan> plan_consolidation(memory::MemoryRepository& bank,
                                             const ConsolidationOptions& options,
                                             const OpContext& context);

struct ConsolidationReport {
  std::vector<std::uint64_t> changes;  // one for each item that was superseded
  std::vector<MergePair> skipped;      // items that were changed since the plan was made
};
Result<ConsolidationReport> apply(memory::MemoryRepository& bank, const ConsolidationPlan& plan,
                                  const OpContext& context);

// By hand: the first stays, the others are superseded by it, one change for each. InvalidInput
// before anything is changed where fewer than two are named, one twice, one is superseded or
// retracted, they differ in polarity, or an active one would give way to a quarantined one.
Result<ConsolidationReport> merge(memory::MemoryRepository& bank,
                                  const std::vector<std::string>& ids, const OpContext& context);

}  // namespace helve::learning
