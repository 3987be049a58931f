// The text of prompts/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::agent::judge_prompts {

std::string_view judge();

}  // namespace helve::agent::judge_prompts
