// The texts of prompts/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::agent::prompts {

std::string_view react();
std::string_view rlm();
std::string_view safety();

}  // namespace helve::agent::prompts
