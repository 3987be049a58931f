// The stdio transport: one message on each line of standard input, answers on standard output in
// the order in which they are ready.
#pragma once

#include <cstddef>

#include "surfaces/mcp/server/server.h"
#include "surfaces/mcp/server/worker_load.h"
#include "toolkit/policy/policy.h"

namespace helve::mcp {

struct StdioOptions {
  int in = 0;
  int out = 1;
  std::size_t threads = kWorkersDefault;  // that answer calls at most; made when they are needed
  std::size_t queue_max = 256;
  std::size_t line_bytes_max = 4 * kMiB;
  Duration grace = std::chrono::seconds(1);  // at the end, for what is still under way
};

// Serves until the input ends, the output is closed or `stop` is cancelled; what is under way then
// has `grace` to be answered and is cancelled. An error only where the input cannot be read.
Result<void> serve_stdio(Server& server, toolkit::Caller caller, const StdioOptions& options,
                         const CancelToken& stop);

}  // namespace helve::mcp
