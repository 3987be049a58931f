// From the statements of batches to the order SPO of a SnapshotStream: each batch's terms become
// codes, then the batches, which are sorted, are merged.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/load_batch.h"
#include "sources/store/snapshot_stream.h"
#include "sources/store/term_merge.h"

namespace helve::store {

// Not thread-safe. What it is given must outlive it.
class RowMerge {
 public:
  RowMerge(std::vector<LoadBatch>& batches, const TermMerge& terms, const BuildPlace& place,
           const OpContext& context)
      : batches_(batches), terms_(terms), place_(place), context_(context) {}

  // Batches side by side on context.executor; then starts the orders and fills the first. `done`
  // grows by one for each row in each of the two steps.
  Result<void> run(SnapshotStream& stream, std::atomic<std::uint64_t>& done);

 private:
  Result<void> code_batch(std::size_t batch, Code default_graph, std::atomic<std::uint64_t>& done);
  template <std::size_t kParts>
  Result<void> merge(OrderStream& out, std::atomic<std::uint64_t>& done);
  OrderPlan plan() const;

  std::vector<LoadBatch>& batches_;
  const TermMerge& terms_;
  const BuildPlace place_;
  const OpContext& context_;
  std::size_t parts_ = 3;
  std::vector<Column<Code>> rows_;             // by batch; parts_ codes each
  std::vector<std::vector<Code>> predicates_;  // by batch: those in use
  std::vector<std::vector<Code>> graphs_;
};

}  // namespace helve::store
