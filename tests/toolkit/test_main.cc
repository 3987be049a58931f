#include <gtest/gtest.h>

#include "tests/toolkit/sql_worker_role.h"

int main(int argc, char** argv) {
  if (const auto status = helve::proofs::serve_as_sql_worker(argc, argv)) return *status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
