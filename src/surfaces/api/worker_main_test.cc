// The program of these tests is its own worker of result_sql, as users' programs may be.
#include <gtest/gtest.h>

#include <string_view>

#include "helve/tools.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "sql-worker") {
    return helve::api::serve_sql_worker();
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
