// A bank that is bounded: what was of least use goes. consolidate.h is its neighbour.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/repository.h"

namespace helve::learning {

struct ForgetOptions {
  bool is_enabled = true;
  std::uint64_t items_max = 10'000;  // without retracted ones, which stay whatever happens
  std::uint64_t floor = 100;         // active items of each polarity that stay in any case
};

struct EvictionPlan {
  std::vector<std::string> ids;  // in the order in which they go
  std::uint64_t items = 0;       // before, without retracted ones
  bool is_bound_met = true;      // false: the floors are above the bound
};

// First those that are superseded, then quarantined ones, then active ones down to the floor of
// their polarity; within each the least utility_of() first, then the oldest. The same bank and time
// give the same plan. With is_enabled false it is empty.
Result<EvictionPlan> plan_eviction(memory::MemoryRepository& bank, const ForgetOptions& options,
                                   WallTime now, const OpContext& context);

// Changes, each of at most a thousand items: undoing one brings its items back. An item that is
// evicted may be learnt again. NotFound, or Denied, where items were changed since.
Result<std::vector<std::uint64_t>> apply(memory::MemoryRepository& bank, const EvictionPlan& plan,
                                         const OpContext& context);

}  // namespace helve::learning
