// Sizes as people write them.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace helve::cli {

// "1048576", "512K", "512M", "1.5G", "4GiB": powers of 1024. At least 1 MiB.
Result<std::size_t> parse_size(std::string_view text);

}  // namespace helve::cli
