// JSON objects in what a model wrote, be there words or marks of code around them.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::agent {

// Those that have the key, in their order; of a long text the beginning is looked at, and a few
// brackets of it. REQUIRES: valid UTF-8.
std::vector<JsonValue> objects_with(std::string_view text, std::string_view key);

}  // namespace helve::agent
