// A recorded run once more: the answers of its model are the recorded ones, the tools really run.
#pragma once

#include <vector>

#include "agent/loops/agent_run.h"
#include "agent/trajectory/recorded_run.h"
#include "agent/trajectory/replay.h"

namespace helve::agent {

struct ReplayedRun {
  RunResult result;
  std::vector<TrajectoryEvent> events;
  ReplayReport report;  // what differs from the record
};

// On a fresh session of the toolkit: results are numbered as they come. InvalidInput where the
// record is of no loop that is known; Cancelled, or LimitExceeded at the deadline.
Result<ReplayedRun> replay_run(const RecordedRun& run, toolkit::Toolkit& toolkit,
                               const toolkit::Caller& caller, const OpContext& context);

}  // namespace helve::agent
