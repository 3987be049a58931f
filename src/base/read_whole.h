// A small stream as one text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace helve {

// LimitExceeded beyond `bytes_max`; `name` is for its message.
Result<std::string> read_whole(ByteSource& source, std::string_view name, std::size_t bytes_max);

}  // namespace helve
