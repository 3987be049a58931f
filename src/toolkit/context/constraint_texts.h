// The texts of built_in/constraints/, which its CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::context::constraints {

std::string_view prov();
std::string_view solar_system();

}  // namespace helve::context::constraints
