// Did you mean: the name of a few that comes closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::toolkit {

// Names that are close enough to be meant, the closest first, then those that contain it or are
// contained in it; at most `most`. Long names have none.
std::vector<std::string_view> nearest_names_of(std::string_view name,
                                               const std::vector<std::string_view>& names,
                                               std::size_t most);

// "; did you mean limit?", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& names);

// Lower-case ASCII letters, '_' for '-' and spaces.
std::string folded_name(std::string_view name);

}  // namespace helve::toolkit
