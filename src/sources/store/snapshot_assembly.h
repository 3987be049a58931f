// From the statements that loading threads took to a Snapshot: one dictionary for all of them,
// sorted orders, statistics. The loader and the builder of graphs share it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/loading_sink.h"
#include "sources/store/snapshot.h"

namespace helve::store {

using Prefixes = std::vector<std::pair<std::string, std::string>>;

// All that the documents declare, by name; of several with one name, one.
Prefixes gather_prefixes(const std::vector<std::unique_ptr<LoadingSink>>& sinks);

// True when all that the sinks hold can be made a snapshot in memory, within the budget.
bool fits_in_memory(const std::vector<std::unique_ptr<LoadingSink>>& sinks,
                    const OpContext& context);

// Not thread-safe. The steps come in this order, each once.
class SnapshotAssembly {
 public:
  SnapshotAssembly(std::vector<std::unique_ptr<LoadingSink>> sinks, const OpContext& context)
      : sinks_(std::move(sinks)), context_(context), charge_(*context.memory, "the loaded graph") {}

  Result<void> number_terms();
  Result<void> sort();
  Result<std::shared_ptr<const Snapshot>> count();

 private:
  std::vector<std::unique_ptr<LoadingSink>> sinks_;
  const OpContext& context_;
  std::vector<std::vector<CodedQuad>> quads_;
  std::vector<MemoryCharge> quad_charges_;
  MemoryCharge charge_;  // of what becomes the snapshot
  Dictionary dictionary_;
  Indexes indexes_;
  Prefixes prefixes_;
};

}  // namespace helve::store
