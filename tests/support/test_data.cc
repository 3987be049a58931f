// Test data: the repository and the shared folder.
#include "tests/support/test_data.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace helve::testing {

namespace fs = std::filesystem;

std::string repository_path(std::string_view path) {
  return (fs::path(HELVE_SOURCE_DIR) / path).string();
}

std::string shared_path(std::string_view path) {
  const char* const given = std::getenv("HELVE_SHARED");
  const bool is_given = given != nullptr && *given != '\0';
  const fs::path folder = is_given ? given : repository_path("../shared");
  std::error_code ignored;
  if (fs::exists(folder / path, ignored)) return fs::weakly_canonical(folder / path).string();
  if (std::getenv("HELVE_SHARED_MUST_EXIST") != nullptr) {
    std::fprintf(stderr, "no %s, and HELVE_SHARED_MUST_EXIST is set\n", (folder / path).c_str());
    std::exit(1);
  }
  return {};
}

}  // namespace helve::testing
