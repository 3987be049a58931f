// The texts of guides/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::context::guides {

std::string_view solar_system();
std::string_view prov();

}  // namespace helve::context::guides
