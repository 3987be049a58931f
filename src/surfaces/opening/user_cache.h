// Where what can be made again is kept for this user: what the environment says.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

// HELVE_CACHE turns it on or off; HELVE_CACHE_DIR, or else helve in XDG_CACHE_HOME or ~/.cache, is
// it. NotFound: off, or nowhere to be. InvalidInput for what is neither on nor off.
Result<std::filesystem::path> user_cache_folder(const Environment& environment);

}  // namespace helve::opening
