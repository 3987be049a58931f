// helve sql-worker: the worker process of result_sql and of SQLite files. Ends with its input.
#include <sys/resource.h>

#include "surfaces/cli/command.h"
#include "surfaces/worker/serve_worker.h"

namespace helve::cli {

Result<void> run_sql_worker(CommandContext& context) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // rows of others stay out of core files
  if (serve_worker(context.out, context.env.clock()) != 0) {
    return Error{ErrorCode::Unavailable, "there is no request, or no one reads the answer"};
  }
  return {};
}

}  // namespace helve::cli
