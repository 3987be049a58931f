// Did you mean: the name of a few that comes closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_names.h"

namespace helve::toolkit {

using helve::folded_name;
using helve::nearest_names_of;

// "; did you mean limit?", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace helve::toolkit
