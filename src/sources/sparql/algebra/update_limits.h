// How long the text of an update may be.
#pragma once

#include <cstddef>

#include "base/limits.h"

namespace helve::sparql {

// Longer than that of a query: INSERT DATA has data in it.
constexpr std::size_t update_bytes_max(const Limits& limits) { return 4 * limits.query_bytes_max; }

}  // namespace helve::sparql
