#include "tests/toolkit/sql_worker_role.h"

#include <string_view>

#include "base/clock.h"
#include "base/stdio.h"
#include "surfaces/worker/serve_worker.h"

namespace helve::proofs {

std::optional<int> serve_as_sql_worker(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != kSqlWorkerRole) return std::nullopt;
  return serve_worker(*stdout_sink(), real_clock());
}

}  // namespace helve::proofs
