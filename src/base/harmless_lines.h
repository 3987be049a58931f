// Texts of several lines for people: text.h has the same for one.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// As escape_for_terminal(), but line ends and tabs stay what they are.
std::string harmless_lines(std::string_view text);

}  // namespace helve
