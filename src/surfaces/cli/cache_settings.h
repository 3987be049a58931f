// Whether and where files are cached as snapshots: what the environment says.
#pragma once

#include <functional>

#include "base/result.h"
#include "sources/store/snapshot_cache.h"

namespace helve::cli {

// Asks for a variable of the environment; null where there is none.
using Environment = std::function<const char*(const char* name)>;

// In opening::user_cache_folder(); HELVE_CACHE_SIZE bounds it, 0 turns it off too. NotFound: off,
// or nowhere to be. InvalidInput for what says neither.
Result<store::CacheOptions> find_cache_options(const Environment& environment);

}  // namespace helve::cli
