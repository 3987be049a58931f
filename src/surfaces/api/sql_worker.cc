// serve_sql_worker() of tools.h.
#include "toolkit/sql/sql_worker.h"
#include "base/clock.h"
#include "base/stdio.h"
#include "helve/tools.h"

namespace helve::api {

int serve_sql_worker() {
  const auto in = stdin_source();
  const auto out = stdout_sink();
  return toolkit::run_sql_worker(*in, *out, real_clock());
}

}  // namespace helve::api
