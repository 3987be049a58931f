// How a JSON number becomes a value without loss. Used by json_parse.cc alone.
#pragma once

#include <string_view>

#include "base/json.h"

namespace helve {

// REQUIRES: is_json_number(text).
JsonValue json_number_value(std::string_view text);

}  // namespace helve
