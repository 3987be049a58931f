// The worker's side of result_sql: one statement over the tables of one request, in a process of
// its own that may be killed at any time. sql_over_handles.h starts it.
#pragma once

#include "base/bytes.h"
#include "base/clock.h"

namespace helve::toolkit {

// Reads a request, writes frames (sql_protocol.h). Everything that goes wrong with the statement is
// a frame; the exit status is not 0 only where there is no one to talk to.
int run_sql_worker(ByteSource& in, ByteSink& out, const Clock& clock);

}  // namespace helve::toolkit
