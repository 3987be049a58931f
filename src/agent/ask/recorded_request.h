// What a recorded run was asked, read back from its first event.
#pragma once

#include "agent/ask/ask.h"
#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

struct RecordedRequest {
  Loop loop = Loop::React;
  RunRequest run;
};

// The context is the recorded one: lessons of a bank may have changed since. InvalidInput where the
// record is of no loop that is known. Limits that it lacks are the usual ones.
Result<RecordedRequest> recorded_request(const RecordedRun& run);

}  // namespace helve::agent
