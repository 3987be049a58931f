// The program of these tests is its own worker: with the argument sql-worker it serves one request.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "base/env.h"
#include "base/stdio.h"
#include "toolkit/sql/sql_worker.h"

int main(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  if (role == "sql-worker") {
    const auto in = helve::stdin_source();
    const auto out = helve::stdout_sink();
    return helve::toolkit::run_sql_worker(*in, *out, helve::real_clock());
  }
  if (role == "crashing-worker") std::abort();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
