#include "surfaces/cli/state_folder.h"

#include <cstdlib>

namespace helve::cli {

std::filesystem::path user_state_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "helve";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return std::filesystem::path(home) / ".local" / "state" / "helve";
}

}  // namespace helve::cli
