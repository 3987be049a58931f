#include "tests/toolkit/sql_worker_role.h"

#include <string_view>

#include "base/clock.h"
#include "base/stdio.h"
#include "toolkit/sql/sql_worker.h"

namespace helve::proofs {

std::optional<int> serve_as_sql_worker(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != kSqlWorkerRole) return std::nullopt;
  const auto in = stdin_source();
  const auto out = stdout_sink();
  return toolkit::run_sql_worker(*in, *out, real_clock());
}

}  // namespace helve::proofs
