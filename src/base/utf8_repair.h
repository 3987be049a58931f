// Text from outside made valid. utf8.h has the checking itself.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// With U+FFFD for every byte that is no part of a character.
std::string repaired_utf8(std::string_view text);

}  // namespace helve
