// Times as people write them. Neighbour of size.h.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace helve::cli {

// "30", "0.5", "500ms", "30s", "2min", "1h"; without a unit, seconds. 0 is allowed.
Result<Duration> parse_duration(std::string_view text);

}  // namespace helve::cli
