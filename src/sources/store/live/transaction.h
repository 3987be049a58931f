// Transaction: a state in the making. What it adds and removes is seen by its own snapshot() alone
// until the store commits it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"
#include "sources/store/live/live_snapshot.h"

namespace helve::store {

// For one thread; given by LiveStore::write().
class Transaction {
 public:
  // `terms` takes what is new; it is the one that the snapshot's delta has. `changes_max` bounds
  // what the store holds after it.
  Transaction(std::shared_ptr<const LiveSnapshot> from, DeltaTerms& terms,
              std::uint64_t changes_max, std::string blank_prefix, const OpContext& context);

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

 private:
  Result<void> edit(const Quad& quad, bool is_added);
  Result<void> flush();

  std::shared_ptr<const LiveSnapshot> from_;
  std::shared_ptr<const LiveSnapshot> now_;
  DeltaTerms& terms_;
  const std::uint64_t changes_max_;
  const std::string blank_prefix_;
  std::uint64_t blanks_ = 0;
  const OpContext& context_;
  std::vector<QuadEdit> edits_;  // not in now_ yet
  MemoryCharge charge_;          // of edits_
};

// The state after edits, each of which changes something. REQUIRES: sorted, each quad once.
// `terms_end` is that of the new state; the version stays.
Result<std::shared_ptr<const Delta>> apply_edits(const LiveSnapshot& before,
                                                 std::span<const QuadEdit> edits,
                                                 const OpContext& context);

// What `after` has more or less than `before`, which have the same base: sorted, each quad once.
std::vector<QuadEdit> difference(const Delta& before, const Delta& after);

}  // namespace helve::store
