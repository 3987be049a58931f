// The texts of prompts/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::agent::lesson_prompts {

std::string_view lesson();  // what all of them say
std::string_view success();
std::string_view failure();
std::string_view contrast();

}  // namespace helve::agent::lesson_prompts
