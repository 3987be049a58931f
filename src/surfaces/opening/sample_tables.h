// The bundled database: a file that is made once of its script, and then only read.
#pragma once

#include <filesystem>

#include "base/env.h"
#include "base/result.h"
#include "surfaces/opening/secret.h"

namespace helve::opening {

// Within the folder of all caches.
inline constexpr std::string_view kSampleFolder = "samples";

// Its path: in the user's cache or, where there is none that can be written, in a folder of the
// user's own in TMPDIR. It is named after its bytes and compared with them at each call: what is
// damaged is replaced, and what several processes write at once is the same. Unavailable where
// there is no place for it.
Result<std::filesystem::path> sample_tables_file(const Environment& environment, Env& env);

// Removes those of a cache. How many there were.
std::size_t clear_samples(const std::filesystem::path& cache_folder, Env& env);

}  // namespace helve::opening
