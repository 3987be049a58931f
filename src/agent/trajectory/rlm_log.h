// A recorded run as a log of the package rlms, which its visualizer shows: JSON Lines, one with
// what was configured and one for each iteration. Follows version 0.1.3 (rlm/logger/rlm_logger.py
// and visualizer/src/lib/types.ts of github.com/alexzhang13/rlm).
#pragma once

#include "agent/trajectory/recorded_run.h"
#include "base/bytes.h"

namespace helve::agent {

// Line by line. Calls of tools by a model, which that format does not know, become blocks of code.
Result<void> write_rlm_log(const RecordedRun& run, ByteSink& out);

}  // namespace helve::agent
