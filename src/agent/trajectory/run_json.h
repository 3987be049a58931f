// A recorded run as JSON, for `helve trajectory show --json` and `list --json`.
#pragma once

#include "agent/trajectory/recorded_run.h"

namespace helve::agent {

// {run, line, time, task, loop, model, stop_reason, steps}: what a list says of it.
JsonValue head_json(const RecordedRun& run);
JsonValue step_json(const RecordedStep& step);
// The head with config, origin, steps, answer, query, usage and cost.
JsonValue run_json(const RecordedRun& run);

}  // namespace helve::agent
