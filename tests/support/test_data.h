// Where tests find their data. Only test_data.cc reads HELVE_SHARED and knows the path of the
// repository.
#pragma once

#include <string>
#include <string_view>

namespace helve::testing {

// A file or folder of the repository, by its path from the root.
std::string repository_path(std::string_view path);

// A file or folder of the shared data: in $HELVE_SHARED, or in `shared` beside the repository.
// Empty if it is not there; with HELVE_SHARED_MUST_EXIST set, as in CI, that ends the program.
std::string shared_path(std::string_view path);

}  // namespace helve::testing

// HELVE_SHARED_PATH(file, "data/x.json"): declares `file`, or skips the test in one line.
#define HELVE_SHARED_PATH(name, path)                                    \
  const std::string name = ::helve::testing::shared_path(path);          \
  if (name.empty()) {                                                    \
    GTEST_SKIP() << "shared data not found; set HELVE_SHARED: " << path; \
  }                                                                      \
  static_assert(true)
