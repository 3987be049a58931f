// helve sql-worker: the worker process of result_sql. Ends with the process that started it.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>

#include "base/stdio.h"
#include "surfaces/cli/command.h"
#include "toolkit/sql/sql_worker.h"

namespace helve::cli {

Result<void> run_sql_worker(CommandContext& context) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // rows of others stay out of core files
  const auto in = stdin_source();
  if (toolkit::run_sql_worker(*in, context.out, context.env.clock()) != 0) {
    return Error{ErrorCode::Unavailable, "there is no request, or no one reads the answer"};
  }
  return {};
}

}  // namespace helve::cli
