// Sizes as people write them.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace helve::cli {

// "1048576", "2048K", "512M", "1.5G", "4GiB": powers of 1024.
Result<std::size_t> parse_size(std::string_view text, std::size_t bytes_min = kMiB);

}  // namespace helve::cli
