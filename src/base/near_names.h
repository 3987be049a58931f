// Names that were probably meant, for hints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve {

// Those of `candidates` that differ from `name` by case, or by one letter in three (at most two),
// nearest first, at most `count` of them.
std::vector<std::string_view> near_names(std::string_view name,
                                         const std::vector<std::string_view>& candidates,
                                         std::size_t count = 3);

}  // namespace helve
