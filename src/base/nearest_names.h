// Names that were probably meant, by more than misspelling: near_names.h, and names within names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve {

// Those that near_names() finds, then those that contain it or are contained in it; at most `most`.
// Case, and '-' or a blank for '_', do not count. Long names have none.
std::vector<std::string_view> nearest_names_of(std::string_view name,
                                               const std::vector<std::string_view>& names,
                                               std::size_t most);

// Lower-case ASCII letters, '_' for '-' and spaces.
std::string folded_name(std::string_view name);

}  // namespace helve
