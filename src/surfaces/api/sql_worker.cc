// serve_sql_worker() of tools.h.
#include "base/clock.h"
#include "base/stdio.h"
#include "helve/tools.h"
#include "surfaces/worker/serve_worker.h"

namespace helve::api {

int serve_sql_worker() { return serve_worker(*stdout_sink(), real_clock()); }

}  // namespace helve::api
