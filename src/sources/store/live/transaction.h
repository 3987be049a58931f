// Transaction: a state in the making. What it adds and removes is seen by its own snapshot() alone
// until the store commits it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// What a store holds in memory at the most, after a transaction too.
struct ChangeLimits {
  std::uint64_t changes = 0;
  std::uint64_t terms = 0;
  std::uint64_t term_bytes = 0;
};

// For one thread; given by LiveStore::write().
class Transaction {
 public:
  // `terms` takes what is new; it is the one that the snapshot's delta has.
  Transaction(std::shared_ptr<const LiveSnapshot> from, DeltaTerms& terms,
              const ChangeLimits& limits, std::string blank_prefix, const OpContext& context);

  // The state with everything that was done so far.
  Result<std::shared_ptr<const LiveSnapshot>> snapshot();

  // The id of a term, new or not.
  Result<Id> intern(const rdf::TermView& term);
  // A blank node that is nowhere else.
  Result<Id> new_blank();

  // Later ones win over earlier ones of the same quad.
  Result<void> add(const Quad& quad);
  Result<void> remove(const Quad& quad);

  // Named graphs that are there without statements.
  void keep_graph(Id graph);
  void forget_graph(Id graph);

  const OpContext& context() const { return context_; }

  // The differences from where it began, once all is done: sorted, each quad once.
  Result<std::vector<QuadEdit>> net_edits();
  // Likewise.
  const StatisticsChange& statistics() const { return statistics_; }

 private:
  Result<void> edit(const Quad& quad, bool is_added);
  Result<void> flush();
  Result<Id> add_term(const DictionaryTerm& term);

  std::shared_ptr<const LiveSnapshot> from_;
  std::shared_ptr<const LiveSnapshot> now_;
  DeltaTerms& terms_;
  const ChangeLimits limits_;
  const std::string blank_prefix_;
  std::uint64_t blanks_ = 0;
  const OpContext& context_;
  std::vector<QuadEdit> edits_;  // not in now_ yet
  std::vector<QuadEdit> done_;   // in now_, one flush behind the other
  StatisticsChange statistics_;  // by those in now_
  MemoryCharge charge_;          // of edits_
  MemoryCharge done_charge_;
  MemoryCharge term_charge_;
  std::uint64_t terms_charged_ = 0;
};

struct AppliedEdits {
  std::shared_ptr<const Delta> delta;
  StatisticsChange statistics;  // by these edits
};

// The state after edits, each of which changes something. REQUIRES: sorted, each quad once.
// `terms_end` is that of the new state; the version stays. What changes in the statistics is
// counted unless it is `known`.
Result<AppliedEdits> apply_edits(const LiveSnapshot& before, std::span<const QuadEdit> edits,
                                 const OpContext& context, const StatisticsChange* known = nullptr);

// What is left of edits that were done one after the other, each of which changed something:
// sorted, each quad once. nullopt: they cannot have been.
std::optional<std::vector<QuadEdit>> net_of(std::vector<QuadEdit> edits);

// What `after` has more or less than `before`, which have the same base: sorted, each quad once.
std::vector<QuadEdit> difference(const Delta& before, const Delta& after);

}  // namespace helve::store
