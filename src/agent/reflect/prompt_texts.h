// The text of prompts/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::agent::reflect_prompts {

std::string_view reflect();

}  // namespace helve::agent::reflect_prompts
