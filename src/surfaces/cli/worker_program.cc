#include "surfaces/cli/worker_program.h"

#include <filesystem>
#include <system_error>

namespace helve::cli {

std::vector<std::string> worker_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {error ? std::string("helve") : self.string(), "sql-worker"};
}

}  // namespace helve::cli
