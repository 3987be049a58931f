// CostGate: what is known of a query before an endpoint is asked it: the judgement of the guard by
// what the endpoint tells of itself, what became of queries like it, and some patterns counted
// there. endpoint_plan.h shows it all as a plan.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/op_context.h"
#include "sources/graph_source.h"
#include "toolkit/guard/guard.h"
#include "toolkit/guard/probe_choice.h"
#include "toolkit/guard/profile.h"

namespace helve::toolkit {

// The count that is kept under a key, or else the one that `ask` gives, which is then kept; errors
// are not.
using KeepFound = std::function<Result<FoundSize>(const std::string& key,
                                                  const std::function<Result<FoundSize>()>& ask)>;

struct GateRequest {
  GuardRequest guard;  // the deadline is the call's
  OpContext op;        // of the call
  Clock* clock = &real_clock();
  KeepFound keep;  // empty: nothing is kept
  bool may_probe = true;
};

struct GateVerdict {
  GuardVerdict guard;
  GraphProfile profile;  // with what the endpoint tells and what was counted
  double deadline_seconds = 0;
  std::optional<ShapeRecord> experience;
  std::uint64_t asked = 0;  // probes sent for this query
  // A pattern that must match and does not, so that the query has no rows, or its answer is no.
  std::optional<ProbeCandidate> unmatched;
};

// For endpoints. `profile` may know nothing at all. At most three probes, each of two seconds at
// most, all within a fifth of the time of the call; none where the query is anchored or light, the
// graph small, or queries of its shape are known to be quick.
GateVerdict weigh(const sparql::Query& query, const GraphSource& endpoint,
                  const GraphProfile& profile, const GateRequest& request);

}  // namespace helve::toolkit
