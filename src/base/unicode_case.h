// Upper and lower case by the full Unicode rules (German sharp s becomes SS), independent of any
// locale, by ICU. The one place that knows it.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// REQUIRES: valid UTF-8.
std::string to_upper_case(std::string_view text);
std::string to_lower_case(std::string_view text);

}  // namespace helve
